import { z } from 'zod';
import type { Context } from '../../dispatch/feature/context.ts';
import { type Feature, pressable } from '../../dispatch/feature/feature.ts';
import { choiceField, defineModal, fieldValue } from '../../dispatch/forms/modal.ts';
import { incidentButton } from '../../dispatch/surfaces/card-buttons.ts';
import { defineIntent, toUndo, type Undo } from '../../incident/acts/intent-kind.ts';
import { readKnown } from '../../incident/acts/read-incident.ts';
import { mayArchive, resolutionOf } from '../../incident/board/next-steps/next-steps.ts';
import { incidentLabel } from '../../incident/state/incident-name.ts';
import { section, toMrkdwn } from '../../text/blocks.ts';
import { signs } from '../../text/signs.ts';
import { formatUtc, secondsAfter, toSlackDate } from '../../text/times.ts';
import { toOneLine } from '../../text/words.ts';

const day = 24 * 3600;
/** The longest that a channel waits, in days. */
const mostDays = 365;
/** The days of the button. */
const usualDays = 7;

/** The choices of the form: days, `now`, or `never`. */
const offers = [
  { value: 'now', label: 'Now' },
  ...[1, 3, 7, 14, 30, 90].map(days => ({ value: String(days), label: days === 1 ? 'In 1 day' : `In ${days} days` })),
  { value: 'never', label: 'Keep it open' },
];

/** Why the channel is not archived; `""` when nothing is wrong. */
const problems = ['', 'active', 'not ours'] as const;

/** Sets when the channel of an incident that is over is archived. The process that shows the incident archives it (`incident/board/next-steps/next-steps.ts`). */
const setArchive = defineIntent({
  kind: 'room.archive',
  payload: z.object({
    incidentID: z.string(),
    /** RFC 3339; `""` to keep it open. */
    at: z.string(),
    /** It is archived at once: then nothing can be taken back. */
    isNow: z.boolean().default(false),
  }),
  result: z.object({ was: z.string(), changed: z.boolean(), problem: z.enum(problems) }),
  run: async ({ api, call, deps }, { incidentID, at, isNow }) => {
    const { incident } = await api.IncidentsService.GetIncident({ incidentID }, call);
    const room = await deps.rooms.ofIncident(incidentID);
    if (!room || !mayArchive(room)) return { was: '', changed: false, problem: 'not ours' as const };
    if (incident.status !== 'resolved') return { was: '', changed: false, problem: 'active' as const };
    const archiveAt = at === '' ? undefined : new Date(at);
    const before = await deps.nextSteps.choose(incidentID, resolutionOf(incident), archiveAt, isNow);
    const was = before?.toISOString() ?? '';
    return { was, changed: was !== at, problem: '' as const };
  },
  did: ({ incidentID, at, isNow }, { result, incident }) => {
    const channel = `the channel of ${incident}`;
    if (!result)
      return at === ''
        ? { verb: 'keep', what: `${channel} open` }
        : { verb: 'archive', what: `${channel} at ${formatUtc(new Date(at))}` };
    const { was, changed, problem } = result;
    if (problem === 'active') return { fact: activeWords(incidentID) };
    if (problem === 'not ours') return { fact: notOursWords(incidentID) };
    const name = incidentLabel(incidentID);
    const sign = signs.archive;
    if (at === '') {
      if (!changed) return { fact: `${sign} The channel of ${name} stays open already.`, isUnchanged: true };
      return { sign, verb: 'keep', what: `${channel} open, which was to be archived ${toSlackDate(new Date(was))}` };
    }
    if (isNow) return { sign, verb: 'archive', what: channel, ...(changed ? {} : { room: [] }) };
    return {
      ...{ sign, verb: 'set', what: `${channel} to be archived ${toSlackDate(new Date(at))}` },
      more: 'Reopening the incident calls it off.',
      ...(changed ? {} : { room: [] }),
    };
  },
  undo: ({ was, changed, problem }, { incidentID, isNow }): Undo | undefined =>
    changed && problem === '' && !isNow
      ? toUndo(setArchive, { incidentID, at: was, isNow: false }, { afterwards: '`/incident archive` changes it.' })
      : undefined,
});

function activeWords(incidentID: string): string {
  return `${incidentLabel(incidentID, 'Incident')} is still active, so its channel stays open. \`/incident resolve\` closes it.`;
}

function notOursWords(incidentID: string): string {
  return `${incidentLabel(incidentID, 'Incident')} has no channel that Muster made. Archive others in Slack’s channel settings.`;
}

async function setAfter(ctx: Context, incidentID: string, days: number | undefined): Promise<void> {
  const at = days === undefined ? '' : secondsAfter(ctx.now, days * day).toISOString();
  await ctx.carryOut(setArchive, { incidentID, at, isNow: days === 0 }, { incidentID });
}

const form = defineModal({
  id: 'incident.archive',
  state: z.object({ incidentID: z.string(), title: z.string(), at: z.string() }),
  view: ({ incidentID, title, at }, filled) => ({
    title: 'Archive the channel',
    submit: 'Save',
    blocks: [
      section(
        `*${incidentLabel(incidentID, 'Incident')}* “${toMrkdwn(title, 200)}” is over. ${at === '' ? 'Its channel stays open.' : `Its channel will be archived ${toSlackDate(new Date(at))}.`}`,
      ),
      choiceField(
        { id: 'when', label: 'When?', options: offers, hint: 'Everything in it stays readable and searchable' },
        { when: String(usualDays), ...filled },
      ),
    ],
  }),
  check: filled => {
    const picked = fieldValue(filled, 'when');
    if (!offers.some(each => each.value === picked)) return { problems: { when: 'Choose one.' } };
    return { value: picked === 'never' ? undefined : picked === 'now' ? 0 : Number(picked) };
  },
  submit: (ctx, days, { incidentID }) => setAfter(ctx, incidentID, days),
});

/** Opens the form, or says why there is nothing to choose. */
async function openForm(ctx: Context, incidentID: string): Promise<void> {
  const incident = await readKnown(ctx.deps, incidentID);
  const room = await ctx.deps.rooms.ofIncident(incidentID);
  if (!room || !mayArchive(room)) return ctx.reject(notOursWords(incidentID));
  if (incident.status !== 'resolved') return ctx.reject(activeWords(incidentID));
  const steps = await ctx.deps.nextSteps.of(incidentID);
  const at = steps?.archiveAt?.toISOString() ?? '';
  await ctx.openForm(form, { incidentID, title: incident.title, at });
}

const soonButton = incidentButton(
  { id: 'incident.archive.soon', label: `Archive in ${usualDays} days` },
  (ctx, incidentID) => setAfter(ctx, incidentID, usualDays),
);

const keepButton = incidentButton({ id: 'incident.archive.keep', label: 'Keep open' }, (ctx, incidentID) =>
  setAfter(ctx, incidentID, undefined),
);

const changeButton = incidentButton({ id: 'incident.archive', label: 'Another day' }, openForm);

const nowButton = incidentButton({ id: 'incident.archive.now', label: 'Archive now' }, (ctx, incidentID) =>
  setAfter(ctx, incidentID, 0),
);

/** Archiving the channel of an incident that is over. */
export const archive: Feature = {
  verbs: [
    {
      noun: 'incident',
      verb: 'archive',
      argumentKind: 'days',
      needsNoun: true,
      usage: '[in 7 days | now | off]',
      summary: 'Archive the channel of an incident that is over, in some days; without words, in a form.',
      needsRegistered: true,
      meansResolved: true,
      run: async (ctx, args, incidentID) => {
        const typed = toOneLine(args.rest).toLowerCase();
        if (typed === '') return openForm(ctx, incidentID);
        // Throws, as for an unknown number, when the person may not see the incident.
        await readKnown(ctx.deps, incidentID);
        if (/^(off|never|no|keep( it)?( open)?)$/.test(typed)) return setAfter(ctx, incidentID, undefined);
        if (/^now$/.test(typed)) return setAfter(ctx, incidentID, 0);
        const days = Number(/^(?:in )?(\d{1,3})(?: ?d(?:ays?)?)?$/.exec(typed)?.[1] ?? Number.NaN);
        if (!(days >= 1 && days <= mostDays)) {
          return ctx.reject(
            `“${toMrkdwn(typed, 60)}” is not a number of days from 1 to ${mostDays}. Try \`/incident archive in 7 days\`, \`now\`, or \`off\` to keep the channel.`,
          );
        }
        return setAfter(ctx, incidentID, days);
      },
    },
  ],
  modals: [form],
  buttons: [soonButton, keepButton, changeButton, nowButton],
  intents: [setArchive],
  onOver: ({ incident: { incidentID }, archiveAt, mayArchive: isOurs }) => {
    if (!isOurs) return [];
    const spoken = { spoken: `Archive the channel of incident ${incidentID} on another day` };
    const first = archiveAt ? pressable(keepButton, { incidentID }) : pressable(soonButton, { incidentID });
    return [first, pressable(changeButton, { incidentID }, spoken)];
  },
  onMistake: ({ incident: { incidentID }, mayArchive: isOurs }) =>
    isOurs ? [pressable(nowButton, { incidentID })] : [],
};
