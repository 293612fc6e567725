import type { Channel } from '../../../../playground/fake-slack/fake-slack.ts';
import type { Declared } from './crowd.ts';
import type { Desk } from './desk.ts';
import { changeTalk } from './messages.ts';

/** Notes something by a mention. */
export async function mention(desk: Desk, incident: Declared, place: Channel | undefined): Promise<void> {
  if (!place) return;
  const mark = desk.crowd.nextMark();
  const line = `note add ${mark} by mention`;
  await desk.do({ kind: 'note', what: `@muster ${line}`, mark, incident: incident.mark }, async () => {
    const message = desk.person.mention(place, line);
    desk.crowd.mentions.push({ mark, incident: incident.mark, message, edits: 0 });
  });
}

/** Edits one of the last own mentions. */
export async function editMention(desk: Desk): Promise<void> {
  const own = desk.crowd.mentions.filter(each => each.message.userId === desk.person.id);
  if (own.length === 0) return;
  const mention = desk.random.pick(own.slice(-3));
  const { isArchived, isPrivate, members } = desk.world.slack.channel(mention.message.channel);
  // Slack shows nobody a private channel that they have left.
  if (isArchived || (isPrivate && !members.has(desk.person.id))) return;
  mention.edits += 1;
  const { mark, incident, message } = mention;
  const value = `put right ${mention.edits}`;
  const line = `note add ${mark} ${value}`;
  await desk.do({ kind: 'edit', what: `edits to @muster ${line}`, mark, incident, value }, async () => {
    desk.person.editMention(message, line);
  });
}

/** Says something in an incident’s room, at times in a thread. */
export async function say(desk: Desk, incident: Declared, place: Channel | undefined): Promise<void> {
  if (!place) return;
  const mark = desk.crowd.nextMark();
  const { history, plan, witness } = desk.world;
  const others = witness.talks.all.filter(each => each.message.channel === place.id && !each.message.threadTs);
  const parent = plan.isTalkChanged && desk.random.chance(0.3) ? others.at(-1)?.message : undefined;
  const thread = parent && !parent.deleted ? { threadTs: parent.ts } : {};
  const message = desk.person.say(place, `${mark} the replica lags`, thread);
  history.add(desk.person.name, `says ${mark} in #${place.name}${parent ? ', in a thread' : ''}`);
  witness.talks.all.push({ mark, incident: incident.mark, message, authorId: desk.person.id });
}

/** Says something or not, and does a few things with what was said. */
export async function talk(desk: Desk, incident: Declared, place: Channel | undefined): Promise<void> {
  if (desk.random.chance(0.3)) await say(desk, incident, place);
  for (let left = desk.random.whole(1, 4); left > 0; left -= 1) {
    changeTalk(desk.world, desk.person, desk.random);
    await desk.world.time.pause(desk.random.whole(100, desk.random.pick([300, 3000, 8000])));
  }
}

/** Adds one of the last messages from its menu. */
export async function addMessage(desk: Desk): Promise<void> {
  const talks = desk.world.witness.talks.all
    .slice(-6)
    .filter(each => each.message.subtype === undefined && !each.message.deleted);
  if (talks.length === 0) return;
  const { mark, incident, message, authorId } = desk.random.pick(talks);
  const channel = desk.world.slack.channel(message.channel);
  if (channel.isArchived || !desk.enters(channel)) return;
  const original = { time: Number(message.ts) * 1000, userId: authorId };
  await desk.do({ kind: 'message', what: `adds message ${mark} to the timeline`, mark, incident, original }, () =>
    desk.person.shortcut('add_timeline', message),
  );
}
