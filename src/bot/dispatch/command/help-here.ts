import { whyNot } from '../../people/access.ts';
import { actions, context, section, type Words } from '../../text/blocks.ts';
import { escapeMrkdwn } from '../../text/words.ts';
import type { Context } from '../feature/context.ts';
import { pressable } from '../feature/feature.ts';
import { allCommandsButton, hereButton } from './help-buttons.ts';

/** Where somebody asks for help: whether the channel has an incident, and how that stands. */
type Here = 'none' | 'active' | 'resolved';

/** What can be done there, three lines that can be copied. */
const ways: Readonly<Record<Here, readonly string[]>> = {
  none: [
    '`/incident declare checkout is down` starts an incident',
    '`/incident list` shows the recent ones, and where they are handled',
    '`/task add call legal --incident 7` works from here, too',
  ],
  active: [
    '`/incident update we roll back` posts an update',
    '`/task add check the replica @bob` gives somebody a task; `/note …` goes on the timeline',
    '`/incident resolve` ends it',
  ],
  resolved: [
    '`/incident reopen it is back` opens it again',
    '`/note the cause was the cache` still goes on the timeline',
    '`/incident record` gives you all of it as a file',
  ],
};

/** The same for guests, who only look. */
const waysOfGuests: Readonly<Record<Here, readonly string[]>> = {
  none: ['`/incident list` shows the incidents that you may see'],
  active: ['`/incident status` shows the status', '`/task list` shows who does what', '`/role list` shows who leads'],
  resolved: ['`/incident status` shows how it ended', '`/incident timeline` shows what happened'],
};

const titles: Readonly<Record<Here, string>> = {
  none: '*This channel has no incident.*',
  active: '*This incident is active.*',
  resolved: '*This incident is resolved.*',
};

/** What this person can do in this channel now. It reads the bot's own database alone, so that it works while the API is away. */
export async function helpHere(ctx: Context): Promise<void> {
  const { deps, actor, location, now } = ctx;
  const rooms = await deps.rooms.allOfChannel(actor.teamId, location.channelId, now);
  const snapshots = await Promise.all(rooms.map(each => deps.snapshots.get(each.incidentID)));
  const isOver = snapshots.length > 0 && snapshots.every(each => each?.summary.status === 'resolved');
  const here: Here = rooms.length === 0 ? 'none' : isOver ? 'resolved' : 'active';
  const isReader = whyNot(actor) !== undefined;
  const lines = (isReader ? waysOfGuests : ways)[here].map(escapeMrkdwn);
  const words: Words = {
    text: [titles[here], ...lines].join('\n'),
    blocks: [
      section(titles[here]),
      section(lines.map(line => `• ${line}`).join('\n')),
      actions([...(here === 'none' ? [] : [pressable(hereButton, {})]), pressable(allCommandsButton, {})]),
      ...(isReader ? [context('You can look here, and a full member can change things.')] : []),
    ],
  };
  await ctx.answer(words);
}
