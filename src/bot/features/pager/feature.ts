import { z } from 'zod';
import { whyNotMember } from '../../dispatch/answers/kept-for-group.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import { openPageFace } from '../../dispatch/feature/faces.ts';
import { type Button, defineButton, type Feature, pressable } from '../../dispatch/feature/feature.ts';
import { withoutPolite } from '../../grammar/casual.ts';
import { type Headline, readHeadline } from '../../incident/acts/read-incident.ts';
import { incidentLabel, titleBehind } from '../../incident/state/incident-name.ts';
import { isProvisional } from '../../journal/provisional-id.ts';
import { closePage, maxWhy, sendPage } from '../../pager/send.ts';
import { NotAllowed } from '../../people/access.ts';
import { actions, section, toMrkdwn } from '../../text/blocks.ts';
import { incidentSigns, signs } from '../../text/signs.ts';
import { toLines } from '../../text/words.ts';

/** Throws {@link NotAllowed} unless the person is in the group whose members may page, where the team has one. */
async function mustMayPage(ctx: Context): Promise<void> {
  const why = await whyNotMember(ctx, { group: ctx.deps.pagers.group, act: 'page' });
  if (why !== undefined) throw new NotAllowed(why);
}

/** A page that waits for a press. `asked` names the question, so that two presses page once. */
const PendingPage = z.object({ incidentID: z.string(), pager: z.string(), why: z.string(), asked: z.string() });

const pageButton = defineButton({
  id: 'page.send',
  label: 'Page',
  value: PendingPage,
  run: async (ctx, { value: { asked, ...page } }) => {
    await mustMayPage(ctx);
    const { status } = await readHeadline(ctx.deps, page.incidentID);
    if (status === 'resolved') return ctx.reject(overWords(page.incidentID));
    await send(ctx, page, `${asked}/page/${page.pager}`);
  },
});

async function send(ctx: Context, page: { incidentID: string; pager: string; why: string }, key?: string) {
  const { incidentID } = page;
  await ctx.carryOut(
    sendPage,
    { ...page, by: ctx.actor.userId },
    { incidentID, ...(key === undefined ? {} : { key }) },
  );
}

/** The pager that the first word behind the verb names, and the reason. */
function readTyped(names: readonly string[], typed: string) {
  const text = toLines(typed);
  const [first = ''] = text.split(/\s/, 1);
  const word = first.replace(/[:,]$/, '').toLowerCase();
  const pager = names.find(each => each === word);
  const rest = pager === undefined ? text : text.slice(first.length).trim();
  const why = rest.replace(/^(?:[:–—-]+\s*|because\s+)/i, '');
  // “Please” is no reason.
  return { pager, why: withoutPolite(why).trim() === '' ? '' : why };
}

/** Asks before it wakes people, where the pager or the reason is not named, or where it is a drill. */
async function ask(
  ctx: Context,
  {
    incidentID,
    pagers,
    why,
  }: { readonly incidentID: string; readonly pagers: readonly string[]; readonly why: string },
  { title, isDrill }: Headline,
): Promise<void> {
  const label = `${isProvisional(incidentID) ? 'this incident' : incidentLabel(incidentID)}${titleBehind(title)}`;
  const asks = isDrill
    ? `${incidentSigns.drill} Really page for a drill? It is ${label}.`
    : `${signs.call} *Nobody was paged yet.* ${pagers.length === 1 ? `Page ${pagers[0]}` : 'Whom do you want to page'} for ${label}?`;
  const text = why === '' ? asks : `${asks}\nThe page says: ${toMrkdwn(why)}`;
  const style = isDrill ? ({ style: 'danger' } as const) : {};
  const rows = pagers.map(name => {
    const value = { incidentID, pager: name, why, asked: ctx.key };
    return actions([pressable(pageButton, value, { label: `Page ${name}`, ...style })]);
  });
  const reading = ctx.deps.pageLink === undefined ? [] : [actions([pressable(openPageFace, { incidentID })])];
  await ctx.answer({ text, blocks: [section(text), ...rows, ...reading] });
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
      grave: true,
      aliases: ['pager', 'sos'],
      argumentKind: 'text',
      usage: '[pager] [why]',
      summary:
        'Page the people behind a pager of the team; the channel reads whether it took it, and who acknowledged. Where the pager is not named, it asks first.',
      about: 'incident',
      run: async (ctx, args, incidentID) => {
        const { names } = ctx.deps.pagers;
        if (names.length === 0) return ctx.reject(noPagers);
        await mustMayPage(ctx);
        const { pager, why } = readTyped(names, args.text);
        if (why.length > maxWhy)
          return ctx.reject(`The reason has ${why.length} characters, and a page takes ${maxWhy}. Nobody was paged.`);
        const incident = await readHeadline(ctx.deps, incidentID);
        if (incident.status === 'resolved') return ctx.reject(overWords(incidentID));
        // “Page me the incident” is typed by a person who wants to read, and would wake a person who sleeps: a pager has to be named.
        if (pager !== undefined && why !== '' && !incident.isDrill) return send(ctx, { incidentID, pager, why });
        await ask(ctx, { incidentID, pagers: pager === undefined ? names : [pager], why }, incident);
      },
    },
  ],
  buttons: [pageButton] as Button[],
  intents: [sendPage, closePage],
};
