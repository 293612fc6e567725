import { z } from 'zod';
import { trimEnd } from '../../../trim-end.ts';
import { askWhich } from '../../dispatch/command/ask-which.ts';
import { readTypedTime } from '../../dispatch/command/typed-times.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import { catchUpFace } from '../../dispatch/feature/faces.ts';
import { type Button, defineButton, type Feature, pressable } from '../../dispatch/feature/feature.ts';
import { onCard } from '../../dispatch/surfaces/card-buttons.ts';
import { addButtons, definePostable, whyNotPublic } from '../../dispatch/surfaces/post-to-channel.ts';
import { type Args, flagOn, flagText } from '../../grammar/grammar.ts';
import { withoutPolite } from '../../grammar/words.ts';
import { toCurrentID } from '../../incident/acts/registration.ts';
import { readCatchUp } from '../../incident/catchup/read.ts';
import { isProvisional } from '../../journal/provisional-id.ts';
import { whyNot } from '../../people/reach.ts';
import { context, type Words } from '../../text/blocks.ts';
import { timeLength } from '../../text/times.ts';
import { toOneLine } from '../../text/words.ts';

/** From when on a person wants to be caught up. `doubt` says why a typed time may mean another moment (mrkdwn; `""`: it cannot). */
type Since =
  | { readonly from: 'last' | 'start' }
  | { readonly from: Date; readonly doubt: string }
  /** A sentence of mrkdwn on what is wrong with the time. */
  | { readonly problem: string }
  /** The words may be no time at all. */
  | { readonly unknown: string };

/** Words that say nothing more: “on this incident”, “for us”. */
const fillers =
  /^(?:(?:on|of|about|for|with|to|up|the|this|that|it|our|incident|room|channel|here|me|us|so far|then|again|thread|discussion|conversation)\b[ ,.!?:]*)*$/i;
/** Characters of what is read at most. */
const mostCharacters = 120;
/** When they last looked, in other words: “since I left”. */
const last = /^(?:i|we|last time|my last|the last time)\b/i;
const start = /^(?:(?:from|since) )?(?:the )?(?:very )?(?:start|beginning|everything|all|whole)[.!]?$/i;

/** Reads `since 02:00`, `from the start`, or nothing. */
function readSince(ctx: Context, args: Args): Since {
  const whole = toOneLine(args.text);
  if (whole.length > mostCharacters) return { unknown: whole };
  const typed = trimEnd(withoutPolite(whole), /[?!.,\s]/);
  const flag = flagText(args, 'since');
  if (flag !== undefined && !start.test(flag)) return readTime(ctx, flag);
  if (start.test(typed) || flag !== undefined) return { from: 'start' };
  const found = /(?:^| )(?:since|from|after) (.+)/i.exec(typed);
  const before = typed.slice(0, found?.index);
  const behind = found?.[1] ?? '';
  const words = before.split(' ');
  const isTime = behind === '' && timeLength(words) === words.length;
  if (isTime) return readTime(ctx, before);
  if (!fillers.test(before)) return { unknown: typed };
  if (start.test(behind)) return { from: 'start' };
  return behind === '' || last.test(behind) ? { from: 'last' } : readTime(ctx, behind);
}

function readTime(ctx: Context, typed: string): Since {
  const read = readTypedTime(ctx, 'since', typed);
  return 'problem' in read ? read : { from: read.at, doubt: read.doubt };
}

/** From when on, once it is read. */
type From = Extract<Since, { from: unknown }>;

/** Catches up the person who presses it: since they last looked, or `isWhole` from the start. */
const catchUpButton = defineButton({
  ...catchUpFace,
  value: z.object({ incidentID: z.string(), isWhole: z.boolean().optional() }),
  reads: true,
  run: async (ctx, { value: { incidentID, isWhole } }) =>
    ctx.show('Catch-up', await catchUp(ctx, incidentID, { from: isWhole ? 'start' : 'last' })),
});

/** The news for the person, who knows them from now on. */
async function catchUp(ctx: Context, asked: string, since: From): Promise<Words> {
  const { deps, actor, now } = ctx;
  const incidentID = await toCurrentID(deps, asked);
  const last = since.from === 'last' ? await deps.visits.last(incidentID, actor.userId) : undefined;
  const from = since.from instanceof Date ? since.from : last;
  // Their own acts are no news to them; of a time that they name they want to know everything.
  const userId = last ? actor.userId : '';
  const { words, isRead } = await readCatchUp(deps, { incidentID, since: from, userId, now });
  if (isRead) deps.visits.record(incidentID, actor.userId, now);
  if (isProvisional(incidentID)) return words;
  const whole = pressable(catchUpButton, { incidentID, isWhole: true }, { label: 'From the start' });
  const post = postedCatchUp.offer(ctx, { incidentID, since: from?.getTime() ?? 0 });
  const doubt = 'doubt' in since ? since.doubt : '';
  const blocks = [...(words.blocks ?? []), context(doubt)];
  const doubted = doubt === '' ? words : { text: `${words.text}\n${doubt}`, blocks };
  return addButtons(doubted, [...(from ? [whole] : []), ...post]);
}

/** The catch-up of an incident, for all in a channel who may see it. `since` is in epoch milliseconds; 0: from the start. */
const postedCatchUp = definePostable({
  id: 'catchup.post',
  part: 'catchup',
  value: z.object({ incidentID: z.string(), since: z.number() }),
  words: async (ctx, { incidentID: asked, since }) => {
    const { deps, now } = ctx;
    const incidentID = await toCurrentID(deps, asked);
    const not = await whyNotPublic(ctx, 'status', incidentID);
    if (not) return { not };
    if (isProvisional(incidentID)) return { not: 'the incident is not registered yet.' };
    const from = since === 0 ? undefined : new Date(since);
    const { words } = await readCatchUp(deps, { incidentID, since: from, userId: '', now });
    return { ...words, about: [incidentID] };
  },
});

/** The words may be a note, or a time that is none. */
async function askWhat(ctx: Context, { raw }: Args, incidentID: string): Promise<void> {
  const says = 'I can catch you up since you last looked, `since 20m ago`, or `from the start`.';
  await askWhich(ctx, says, [
    { label: catchUpFace.label, draft: { kind: 'command', root: 'incident', text: 'catchup' }, incidentID },
    {
      label: `Add it as a note: ${toOneLine(raw)}`,
      draft: { kind: 'command', root: 'note', text: `add ${raw}` },
      incidentID,
    },
  ]);
}

/** Catching a person up: what happened in an incident since they last looked. */
export const catchup: Feature = {
  verbs: [
    {
      noun: 'incident',
      verb: 'catchup',
      example: '`/incident catchup` shows what you missed',
      aliases: ['recap', 'summarize', 'summarise'],
      argumentKind: 'nothing',
      usage: '[since 02:00 | from the start]',
      summary: 'Show you alone what happened since you last looked; with --post, show it to all.',
      flags: {
        since: { kind: 'phrase', length: timeLength, hint: 'from when on: 20m ago, 02:00' },
        post: { kind: 'switch', aliases: ['share'] },
      },
      reads: true,
      run: async (ctx, args, incidentID) => {
        const since = readSince(ctx, args);
        if ('problem' in since) return ctx.reject(since.problem);
        if ('unknown' in since) return askWhat(ctx, args, incidentID);
        if (!flagOn(args, 'post')) return ctx.answer(await catchUp(ctx, incidentID, since));
        const refused = whyNot(ctx.actor);
        if (refused !== undefined) return ctx.reject(refused);
        const room = await ctx.deps.rooms.ofIncident(incidentID);
        if (!room || room.channelId !== ctx.location.channelId)
          return ctx.reject('`--post` posts it for everybody in the incident’s channel. Type it there.');
        const from = since.from instanceof Date ? since.from.getTime() : 0;
        await postedCatchUp.post(ctx, { incidentID, since: from });
      },
    },
  ],
  buttons: [catchUpButton, postedCatchUp.button] as Button[],
  onCard: ({ incidentID, status }) => (status === 'resolved' ? [] : [onCard('last', catchUpButton, { incidentID })]),
};
