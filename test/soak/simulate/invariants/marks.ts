import type { Message } from '../../../../playground/fake-slack/fake-slack.ts';
import { mistakeLabel } from '../../../../src/contract/mistakes.ts';
import { type Change, changesOf, type Intent, undoneBy } from './changes.ts';
import type { Complaint, Evidence } from './evidence.ts';

/** The mark of an incident or an update. */
const word = /\bm\d+\b/;

/** How the words of each sort of act read outside the room. */
const said: Readonly<Record<string, RegExp>> = {
  'update.post': /📣/u,
  'incident.declare': /🚨 \S+ declared /u,
};

/** The values with which an incident is none that was declared by mistake. */
const off: Readonly<Record<string, string>> = { status: 'active', drill: 'false', [`label ${mistakeLabel}`]: 'off' };

/**
 * What was taken back is marked as taken back wherever it was said. The room is looked at with all its lines; here it is what outsiders
 * read: updates below the announcement, and declarations where they were made. Slack may refuse a mark.
 */
export function marksTrue(evidence: Evidence): readonly Complaint[] {
  const { world, intents } = evidence;
  if (world.plan.refusals.length > 0) return [];
  // A form that two people send has the same words twice, and one of them stands.
  const hasTwin = (act: Intent, mark: string) =>
    intents.some(each => each.id !== act.id && each.kind === act.kind && word.exec(each.payload)?.[0] === mark);
  // The place of a declaration follows its incident, which may be open again, and resolved after that, or count as real again. An undo of what
  // was taken back already changes nothing. An empty lane counts from 1 again, so times tell it.
  const isUnmarked = ({ id, subject, kind, created_at }: Intent) => {
    if (kind !== 'incident.declare.undo') return false;
    const changes = changesOf(evidence, Number(subject));
    const later = changes.slice(changes.findLastIndex(each => each.intent?.id === id) + 1);
    const isOff = ({ field, value }: Change) => off[field] === value;
    return later.some(each => isOff(each) && each.item.created_at / 1000 > Date.parse(created_at));
  };
  return intents.flatMap(undo => {
    const act = undo.state === 'done' ? undoneBy(evidence, undo) : undefined;
    const sign = said[act?.kind ?? ''];
    const mark = word.exec(act?.payload ?? '')?.[0];
    if (!act || !sign || !mark || hasTwin(act, mark) || isUnmarked(undo)) return [];
    const isAbout = ({ text }: Message) => sign.test(text) && new RegExp(`\\b${mark}\\b`).test(text);
    return world.slack.channels.flatMap(({ name, messages }) =>
      messages
        .filter(each => each.botId !== undefined && isPublic(each) && isAbout(each))
        .flatMap(each => each.text.split('\n').filter(line => line.includes(mark) && sign.test(line)))
        // The receipt of the person who took it back, and what they removed, say so. A copy that came as a direct message stays as it was,
        // as one that only they see does.
        .filter(line => !/^\S+ You /.test(line))
        .filter(line => !line.includes(' took this back: ') && !line.startsWith(':wastebasket:'))
        .map(line => `${act.kind} of ${mark} was taken back, and #${name} reads “${line}”`),
    );
  });
}

/**
 * A line never appears above a message that is newer than its act: what joined a message did so while nothing stood below it. Where clocks
 * step, nobody knows what came first.
 */
export function linesBelow({ world, lines }: Evidence): readonly Complaint[] {
  if (world.plan.steps.length > 0) return [];
  return lines
    .filter(({ place, ts, message, id }) => place === 'room' && Number(ts) > 0 && message !== id)
    .flatMap(({ channel: id, ts, words, done_at }) => {
      const channel = world.slack.channels.find(each => each.id === id);
      const [from, until] = [Number(ts), done_at / 1000];
      const isTopic = ({ subtype }: Message) => subtype === 'channel_topic' || subtype === 'group_topic';
      const isBetween = (each: Message) => !isTopic(each) && Number(each.ts) > from && Number(each.ts) < until;
      const inThread = ({ threadTs, ts: own }: Message) => threadTs !== undefined && threadTs !== own;
      const between = channel?.messages.find(each => isPublic(each) && !inThread(each) && isBetween(each));
      return between ? [`#${channel?.name} reads “${words}” above “${between.text}”, which was there before`] : [];
    });
}

function isPublic({ ephemeralTo, deleted }: Message): boolean {
  return ephemeralTo === undefined && !deleted;
}
