import { z } from 'zod';
import type { Context } from '../../dispatch/feature/context.ts';
import { type Button, defineButton, type Feature, pressable } from '../../dispatch/feature/feature.ts';
import type { Args } from '../../grammar/grammar.ts';
import { type Headline, readHeadline } from '../../incident/acts/read-incident.ts';
import { incidentLabel, titleBehind } from '../../incident/state/incident-name.ts';
import { isProvisional } from '../../journal/provisional-id.ts';
import { closePage, maxWhy, sendPage } from '../../pager/send.ts';
import { actions, section, toMrkdwn } from '../../text/blocks.ts';
import { incidentSigns, signs } from '../../text/signs.ts';
import { toLines } from '../../text/words.ts';
import { mustMayPage } from './allowed.ts';

/** A page that waits for a press. `asked` names the question, so that two presses page once. */
const Asked = z.object({ incidentID: z.string(), pager: z.string(), why: z.string(), asked: z.string() });

const pageButton = defineButton({
  id: 'page.send',
  label: 'Page',
  value: Asked,
  run: async (ctx, { value: { asked, ...page } }) => {
    await mustMayPage(ctx);
    const { status } = await readHeadline(ctx.deps, page.incidentID);
    if (status === 'resolved') return ctx.reject(overWords(page.incidentID));
    await send(ctx, page, `${asked}/page/${page.pager}`);
  },
});

async function send(ctx: Context, page: Pick<z.output<typeof Asked>, 'incidentID' | 'pager' | 'why'>, key?: string) {
  const { incidentID } = page;
  await ctx.carryOut(
    sendPage,
    { ...page, by: ctx.actor.userId },
    { incidentID, ...(key === undefined ? {} : { key }) },
  );
}

async function runPage(ctx: Context, args: Args, incidentID: string): Promise<void> {
  const { names } = ctx.deps.pagers;
  if (names.length === 0) return ctx.reject(noPagers);
  await mustMayPage(ctx);
  const { pager, isNamed, why } = readTyped(names, args.sentence);
  if (why.length > maxWhy)
    return ctx.reject(`The reason has ${why.length} characters, and a page takes ${maxWhy}. Nobody was paged.`);
  const incident = await readHeadline(ctx.deps, incidentID);
  if (incident.status === 'resolved') return ctx.reject(overWords(incidentID));
  // A person who is named may be the one to wake, and a pager does not reach them.
  const isClear = pager !== undefined && why !== '' && (isNamed || args.mentions.length === 0);
  if (isClear && !incident.isDrill) return send(ctx, { incidentID, pager, why });
  await ask(ctx, { incidentID, pagers: pager === undefined ? names : [pager], why }, incident);
}

/** What was typed behind the verb. */
interface Typed {
  /** The one that the first word names, or the only one. */
  readonly pager: string | undefined;
  readonly isNamed: boolean;
  readonly why: string;
}

function readTyped(names: readonly string[], typed: string): Typed {
  const text = toLines(typed);
  const [first = ''] = text.split(/\s/, 1);
  const word = first.replace(/[:,]$/, '').toLowerCase();
  const named = names.find(each => each === word);
  const only = names.length === 1 ? names[0] : undefined;
  const rest = named === undefined ? text : text.slice(first.length).trim();
  return { pager: named ?? only, isNamed: named !== undefined, why: rest.replace(/^(?:[:–—-]+\s*|because\s+)/i, '') };
}

/** Asks before it wakes somebody, where the pager or the reason is not said, or where it is a drill. */
async function ask(
  ctx: Context,
  {
    incidentID,
    pagers,
    why,
  }: { readonly incidentID: string; readonly pagers: readonly string[]; readonly why: string },
  { title, isDrill }: Headline,
): Promise<void> {
  const label = isProvisional(incidentID) ? 'this incident' : incidentLabel(incidentID);
  const about = `${label}${titleBehind(title)}${why === '' ? '' : `: ${toMrkdwn(why)}`}`;
  const text = isDrill
    ? `${incidentSigns.drill} Really page for a drill? It is ${about}`
    : `${signs.call} ${pagers.length === 1 ? 'Page' : 'Whom do you want to page'} for ${about}?`;
  const style = isDrill ? ({ style: 'danger' } as const) : {};
  const rows = pagers.map(name => {
    const value = { incidentID, pager: name, why, asked: ctx.key };
    return actions([pressable(pageButton, value, { label: `Page ${name}`, ...style })]);
  });
  await ctx.answer({ text, blocks: [section(text), ...rows] });
}

const noPagers =
  'No pager is set up, so nobody was paged: use your paging tool. Your Muster administrator connects it with `PAGERS`.';

function overWords(incidentID: string): string {
  return `${incidentLabel(incidentID, 'Incident')} is resolved, so nobody was paged. \`/incident reopen\` opens it again.`;
}

/** Waking people through the pager that the team has. */
export const pager: Feature = {
  name: 'pager',
  verbs: [
    {
      noun: 'incident',
      verb: 'page',
      aliases: ['pager', 'sos'],
      begins: 'text',
      usage: '[pager] [why]',
      summary:
        'Page the people behind a pager of the team; the channel reads whether it took it, and who acknowledged.',
      about: 'incident',
      run: runPage,
    },
  ],
  buttons: [pageButton] as Button[],
  intents: [sendPage, closePage],
};
