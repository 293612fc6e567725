import { z } from 'zod';
import { whyNotMember } from '../../dispatch/answers/kept-for-group.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import { openPageFace } from '../../dispatch/feature/faces.ts';
import { type Button, defineButton, type Feature, pressable } from '../../dispatch/feature/feature.ts';
import { holdsBack } from '../../grammar/casual.ts';
import { withoutPolite } from '../../grammar/words.ts';
import type { NewPage } from '../../incident/acts/pagers.ts';
import { type Headline, readHeadline, unknownHeadline } from '../../incident/acts/read-incident.ts';
import { incidentLabel, titleBehind } from '../../incident/state/incident-name.ts';
import { isProvisional } from '../../journal/provisional-id.ts';
import { closePage, maxWhy, sendPage, toCall } from '../../pager/send.ts';
import { userOf } from '../../people/person.ts';
import { NotAllowed, namesReached } from '../../people/reach.ts';
import { actions, mention, section, toMrkdwn } from '../../text/blocks.ts';
import { incidentSigns, signs } from '../../text/signs.ts';
import { formatDuration } from '../../text/times.ts';
import { andMore, toLines } from '../../text/words.ts';

/** Throws {@link NotAllowed} unless the person is in the group whose members may page, where the team has one. */
async function mustMayPage(ctx: Context): Promise<void> {
  const why = await whyNotMember(ctx, { group: ctx.deps.pagers.group, act: 'page' });
  if (why !== undefined) throw new NotAllowed(why);
}

/**
 * A page that waits for a press. `asked` names the question, so that two presses page once; `at` is its moment in epoch milliseconds, absent
 * for a question of an earlier version.
 */
const PendingPage = z.object({
  ...{ incidentID: z.string(), pager: z.string(), why: z.string(), asked: z.string() },
  at: z.number().optional(),
});

const pageButton = defineButton({
  id: 'page.send',
  label: 'Page',
  isUrgent: true,
  value: PendingPage,
  run: async (ctx, { value: { asked, at, ...page } }) => {
    await mustMayPage(ctx);
    const { status } = await readHeadline(ctx.deps, page.incidentID);
    if (status === 'resolved') return ctx.reject(overWords(page.incidentID));
    const since = Math.max(at ?? 0, ctx.now.getTime() - repeats);
    const wish = { ...page, by: ctx.actor.userId, since };
    await ctx.carryOut(sendPage, wish, { incidentID: page.incidentID, key: `${asked}/page/${page.pager}` });
  },
});

/** A page of a pager that is this young makes a second one a question, in milliseconds. */
const repeats = 10 * 60_000;

/** Words with which people act on a page, or look at it, in other tools: at the beginning of a reason they make the page a question. */
const wordsOfPagers =
  /^(?:(?:un-?)?(?:ack(?:s|ed|nowledged?)?|resolved?|close|cancel|stop|off|mute|silence|snooze|test|help|list|status|schedule|override|who|whos|show|open|see|me|us)|on[- ]?call|escalate|re-?assign|hand-?(?:off|over)|trigger|create|history|info|page)(?![\p{L}\p{N}-])/iu;

/** Words before the name of a pager that say nothing: “page the sre on duty”. */
const beforePager = /^(?:(?:the|our|to|on[- ]?call)\s+)+/i;

/** The pager that the first word behind the verb names, and the reason. Where words stand before its name, `pagers` has it, and it is asked. */
function readTyped(names: readonly string[], typed: string) {
  const whole = toLines(typed);
  const text = whole.replace(beforePager, '');
  const [first = ''] = text.split(/\s/, 1);
  const word = first.replace(/[:,]$/, '').toLowerCase();
  const named = names.find(each => each === word);
  const pager = text === whole ? named : undefined;
  const rest = named === undefined ? whole : text.slice(first.length).trim();
  const why = rest.replace(/^(?:[:–—-]+\s*|because\s+)/i, '');
  // “Please” is no reason.
  const said = withoutPolite(why.replace(/^please\s+/i, '')).trim();
  const hint = wordsOfPagers.test(said)
    ? ['Muster only sends pages: acknowledge and end one in the pager itself.']
    : holdsBack(said)
      ? ['You say that it is over, not yet or not certain: do you want to page now?']
      : [];
  return { pager, pagers: named === undefined ? names : [named], why: said === '' ? '' : why, hint };
}

/** The people who may be behind a pager: those of Slack's group of its name, with their local time. Muster knows no schedule of a pager. */
async function wokenWords({ deps: { slack, people }, now }: Context, pager: string): Promise<string> {
  const readNames = async () => {
    const group = await slack.groups.find(pager);
    return group ? namesReached(people, (await slack.groups.members(group)).slice(0, mostMembers), now) : [];
  };
  const names = await readNames().catch(() => []);
  const who =
    names.length > 0 ? `In Slack, @${pager} are ${andMore(names, mostNamed)}.` : 'Muster does not know who that is.';
  return `*${toMrkdwn(pager, 40)}* wakes the person on duty there. ${who}`;
}

/** Members of a group who are looked up, and people who are named, at most. */
const mostMembers = 100;
const mostNamed = 10;

/** Asks before it wakes people through one of the pagers: shows the words of the page, whom it wakes, and the pages of some minutes before. */
async function ask(
  ctx: Context,
  { pagers, why, hint }: ReturnType<typeof readTyped>,
  before: readonly NewPage[],
  { incidentID, title, isDrill }: Headline & { readonly incidentID: string },
): Promise<void> {
  const { deps, now, actor } = ctx;
  const page = { incidentID, why };
  const label = `${isProvisional(incidentID) ? 'this incident' : incidentLabel(incidentID)}${titleBehind(title)}`;
  const asks = isDrill
    ? `${incidentSigns.drill} Really page for a drill? It is ${label}.`
    : `${signs.call} *Nobody was paged ${before.length > 0 ? 'again' : 'yet'}.* ${pagers.length === 1 ? `Page ${pagers[0]}` : 'Whom do you want to page'} for ${label}?`;
  const sent = await toCall(deps, { ...page, pager: '', by: actor.userId }, { key: '', askedAt: now });
  const says = [sent.title, sent.why].filter(each => each !== '').join(': ');
  const woken = await Promise.all(pagers.map(each => wokenWords(ctx, each)));
  const told = before.map(each => beforeWords(each, now));
  const text = [...told, asks, `The page says: ${toMrkdwn(says, 2 * maxWhy)}`, ...woken, ...hint].join('\n');
  const style = isDrill ? ({ style: 'danger' } as const) : {};
  const rows = pagers.map(name => {
    const value = { ...page, pager: name, asked: ctx.key, at: now.getTime() };
    return actions([pressable(pageButton, value, { label: `Page ${name}`, ...style })]);
  });
  const reading = deps.pageLink === undefined ? [] : [actions([pressable(openPageFace, { incidentID })])];
  await ctx.answer({ text, blocks: [section(text), ...rows, ...reading] });
}

/** Says that a pager was paged some minutes ago. */
function beforeWords({ pager, why, actor, asked_at }: NewPage, now: Date): string {
  const user = userOf(actor);
  const by = user === '' ? '' : ` by ${mention(user)}`;
  const ago = formatDuration((now.getTime() - asked_at) / 1000);
  return `${signs.warning} *${toMrkdwn(pager, 40)} was paged ${ago} ago*${by}${why === '' ? '.' : `: “${toMrkdwn(why, maxWhy)}”`}`;
}

const noPagers =
  'No pager is set up, so nobody was paged: use your paging tool. Your Muster administrator connects it with `PAGERS`.';

function overWords(incidentID: string): string {
  return `${incidentLabel(incidentID, 'Incident')} is resolved, so nobody was paged. \`/incident reopen\` opens it again.`;
}

/** Waking people through the pager that the team has. */
export const pager: Feature = {
  verbs: [
    {
      noun: 'incident',
      verb: 'page',
      example: '`/incident page` wakes people by their pager',
      grave: true,
      aliases: ['pager', 'sos'],
      argumentKind: 'text',
      asked: ['page', 'pager', 'sos'],
      usage: '[pager] [why]',
      summary:
        'Page the people behind a pager of the team; the channel reads whether it took it, and who acknowledged. It asks first where no pager or no reason is named, and within minutes of another page.',
      run: async (ctx, args, incidentID) => {
        const { names } = ctx.deps.pagers;
        if (names.length === 0) return ctx.reject(noPagers);
        await mustMayPage(ctx);
        // A delivery that is carried out again has paged them: its own page is no reason to ask.
        const sent = await ctx.before(sendPage);
        if (sent) return void (await ctx.carryOut(sendPage, sent, { incidentID }));
        const typed = readTyped(names, args.text);
        const { pager, pagers, why, hint } = typed;
        if (why.length > maxWhy)
          return ctx.reject(`The reason has ${why.length} characters, and a page takes ${maxWhy}. Nobody was paged.`);
        const incident = await readHeadline(ctx.deps, incidentID);
        if (incident.status === 'resolved') return ctx.reject(overWords(incidentID));
        // “Page me the incident” is typed by a person who wants to read, and would wake a person who sleeps: a pager has to be named.
        const since = ctx.now.getTime() - repeats;
        const lastOf = (each: string) => ctx.deps.pagers.lastSince(incidentID, { pager: each, since });
        // While it is not known whether the person sees the incident, they read of none of its pages. The intent looks again.
        const latest = await Promise.all(incident === unknownHeadline ? [] : pagers.map(lastOf));
        const before = latest.filter(each => each !== undefined);
        if (pager === undefined || why === '' || hint.length > 0 || incident.isDrill || before.length > 0)
          return ask(ctx, typed, before, { ...incident, incidentID });
        await ctx.carryOut(sendPage, { incidentID, pager, why, by: ctx.actor.userId, since }, { incidentID });
      },
      wakes: async (ctx, args) => {
        const { pager } = readTyped(ctx.deps.pagers.names, args.text);
        return pager === undefined ? '' : wokenWords(ctx, pager);
      },
    },
  ],
  buttons: [pageButton] as Button[],
  intents: [sendPage, closePage],
};
