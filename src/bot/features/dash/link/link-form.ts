import { z } from 'zod';
import { RpcError } from '../../../../contract/errors.ts';
import type { Context } from '../../../dispatch/feature/context.ts';
import {
  choiceField,
  defineModal,
  type FieldOption,
  fieldValue,
  momentField,
  textField,
} from '../../../dispatch/forms/modal.ts';
import { fold } from '../../../incident/state/roles.ts';
import { toOneLine } from '../../../text/words.ts';
import { maxCaption } from './link.ts';
import { linkTargets } from './link-found.ts';
import { readTargets } from './link-targets.ts';
import { readTitles, type Titled } from './titles.ts';
import { readWindow, type TypedWindow } from './typed-window.ts';

/** Options of a menu at most (docs/slack.md 6). */
const mostOptions = 100;

const windows = [
  { value: 'around', label: 'Around the incident' },
  { value: '15m', label: 'Last 15 minutes' },
  { value: '1h', label: 'Last hour' },
  { value: '3h', label: 'Last 3 hours' },
  { value: 'between', label: 'From … to …' },
] as const;

/** What a person chose: a dashboard of the list, or what they typed in its place. */
interface Chosen {
  readonly board: string;
  readonly address: string;
  readonly window: TypedWindow | undefined;
  readonly caption: string;
}

const form = defineModal({
  id: 'dash.link',
  state: z.object({ incidentID: z.string() }),
  view: (_state, filled, { offered }) => {
    const boards = offered?.board ?? [];
    const label = boards.length > 0 ? 'Or a link, or another title' : 'A link, or the title of a dashboard';
    return {
      title: 'Link a dashboard',
      submit: 'Link',
      blocks: [
        ...(boards.length > 0
          ? [choiceField({ id: 'board', label: 'Dashboard', options: boards, optional: true }, filled)]
          : []),
        textField({ id: 'address', label, optional: true, placeholder: 'https://…' }, filled),
        choiceField({ id: 'window', label: 'Time to show', options: windows }, { window: 'around', ...filled }),
        momentField({ id: 'from', label: 'From', optional: true }, filled),
        momentField({ id: 'to', label: 'To', optional: true, hint: 'Empty: now' }, filled),
        textField({ id: 'caption', label: 'What does it show?', optional: true }, filled),
      ],
    };
  },
  check: (filled, _state, { now }) => {
    const [board, address, picked, from, to, caption] = ['board', 'address', 'window', 'from', 'to', 'caption'].map(
      id => fieldValue(filled, id).trim(),
    );
    const problems: Record<string, string> = {};
    if (!board && !address) problems.address = 'Pick a dashboard, or paste a link.';
    if ((caption ?? '').length > maxCaption)
      problems.caption = `At most ${maxCaption} characters. Put the rest in a note.`;
    const [begin, end] = [Number(from) * 1000, to ? Number(to) * 1000 : now.getTime()];
    if (picked === 'between' && !from) problems.from = 'Say when it begins.';
    else if (picked === 'between' && begin >= end) problems.to = 'That is before it begins.';
    if (Object.keys(problems).length > 0) return { problems };
    // A window that the address fixes is kept where nobody chose another.
    const window: TypedWindow | undefined =
      picked === 'between'
        ? { kind: 'between', from: new Date(begin).toISOString(), to: to ? new Date(end).toISOString() : '' }
        : picked === 'around'
          ? undefined
          : readWindow(picked ?? '');
    return { value: { board: board ?? '', address: address ?? '', window, caption: caption ?? '' } };
  },
  submit: (ctx, chosen: Chosen, { incidentID }) => linkChosen(ctx, incidentID, chosen),
});

/** The form of `/dash link`. */
export const linkForm = form;

/** Opens it with the dashboards linked lately, then those tagged like the incident, then the others. */
export async function openLinkForm(ctx: Context, incidentID: string): Promise<void> {
  const board = await readOptions(ctx, incidentID);
  await ctx.openForm(form, { incidentID }, {}, { board: [...board] });
}

async function readOptions(ctx: Context, incidentID: string): Promise<readonly FieldOption[]> {
  try {
    const [{ known }, { incident }] = await Promise.all([
      readTitles(ctx, ''),
      ctx.deps.api.IncidentsService.GetIncident({ incidentID }),
    ]);
    const labels = new Set(incident.labels.map(each => fold(each.label)));
    const rank = ({ tags }: Titled) => (tags === undefined ? 0 : tags.some(tag => labels.has(fold(tag))) ? 1 : 2);
    const sorted = known.toSorted((one, other) => rank(one) - rank(other)).slice(0, mostOptions);
    return sorted.map(each => {
      const isTwice = sorted.filter(other => other.title === each.title).length > 1;
      const title = toOneLine(each.title) || each.uid;
      return { value: each.uid, label: isTwice ? `${title} (${each.uid})` : title };
    });
  } catch (error) {
    // While the API is away an address can be typed.
    if (error instanceof RpcError) return [];
    throw error;
  }
}

async function linkChosen(
  ctx: Context,
  incidentID: string,
  { board, address, window, caption }: Chosen,
): Promise<void> {
  const listed = board === '' ? [] : [{ kind: 'dashboard' as const, uid: board, slug: '', query: [] }];
  const typed = address === '' ? undefined : await readTargets(ctx, address.split(/\s+/), '');
  if (typed && 'problem' in typed) return ctx.reject(`I linked nothing: ${typed.problem}`);
  const join = (one: string | undefined) => [one ?? '', toOneLine(caption)].filter(each => each !== '').join(' ');
  await linkTargets(ctx, incidentID, {
    addresses: [...listed, ...(typed?.addresses ?? [])],
    window: window ?? typed?.window,
    caption: join(typed?.caption),
    words: join(typed?.words),
  });
}
