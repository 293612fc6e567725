import { messageKind } from '../../../../src/bot/incident/notes/message-note.ts';
import { splitNoteBody } from '../../../../src/contract/note-forms.ts';
import { bears } from '../people/acts.ts';
import type { Talk, TalkEvent } from '../people/talks.ts';
import { type Complaint, type Evidence, incidentsOf } from './evidence.ts';

/**
 * Each message that people noted is on the timeline of its incident once, with the words it has in Slack, its author and its time; one
 * whose reactions were all taken back is not there. An event that no replica ever acknowledged excuses what it alone tells, and so does
 * one about which Muster told the person that it did nothing. What another client of the API noted stands as it left it.
 */
export function timelineTrue(evidence: Evidence): readonly Complaint[] {
  return [...evidence.world.witness.talks.all.flatMap(talk => noteTrue(evidence, talk)), ...foreignNotes(evidence)];
}

type Item = Evidence['activity'][number];

function noteTrue(evidence: Evidence, talk: Talk): readonly Complaint[] {
  const notes = evidence.activity.filter(row => row.kind === 'userNote' && bears(row.body, talk.mark));
  const say = (what: string) => [`message ${talk.mark} ${what}`];
  if (notes.length > 1) return say(`is ${notes.length} times on the timeline`);
  const [note] = notes;
  const wanted = presence(evidence, talk);
  if (!note) return wanted === 'must' ? say('is not on the timeline, and somebody wants it there') : [];
  if (wanted === 'must not') return say(`is on the timeline, and nobody wants it there: ${note.body}`);
  const [incident] = incidentsOf(evidence, talk.incident);
  if (note.incident_id !== incident?.id) return say(`is on the timeline of incident ${note.incident_id}`);
  return [...wordsTrue(evidence, talk, note), ...originTrue(evidence, talk, note)].flatMap(say);
}

/** Whether the note must be there; `may`: nobody can know. */
function presence({ world, acts, intents }: Evidence, talk: Talk): 'must' | 'must not' | 'may' {
  const { talks } = world.witness;
  const { message } = talk;
  const events = talks.of(message).filter(each => isMeant(world, each));
  const isFromMenu = ({ key, payload, state }: (typeof intents)[number]) =>
    key.includes(`/${message.channel}/${message.ts}`) && /"delivery":"shortcut\//.test(payload) && state === 'done';
  const isUndone = ({ id }: (typeof intents)[number]) => intents.some(row => row.origin.includes(`"undoes":"${id}"`));
  const fromMenu = intents.filter(row => row.kind === messageKind && isFromMenu(row));
  if (fromMenu.length > 0) return fromMenu.some(isUndone) ? 'may' : 'must';
  const isAsked = acts.some(act => act.kind === 'message' && act.mark === talk.mark);
  const reacted = events.filter(each => each.kind === 'reacted');
  if (reacted.length === 0) return isAsked ? 'may' : 'must not';
  // Its reactions went with it, and no event tells of that. One that was read only then adds nothing.
  if (isGone(talk)) return 'may';
  const standing = message.reactions.filter(each => world.settings.timelineEmoji.has(each.name));
  const people = standing.flatMap(each => each.users).filter(each => each !== world.slack.botUserId);
  const isKnown = (event: TalkEvent | undefined) => event !== undefined && isSure(world, event);
  if (people.some(userId => isKnown(reacted.findLast(each => each.userId === userId)))) return 'must';
  const isTakenBack = isKnown(events.findLast(each => each.kind === 'unreacted'));
  return people.length === 0 && isTakenBack && !isAsked ? 'must not' : 'may';
}

/** The note has the words that Slack shows, and says who changed them, and that the message is gone. */
function wordsTrue({ world, intents }: Evidence, talk: Talk, note: Item): readonly string[] {
  const { message } = talk;
  const { text, foot } = splitNoteBody(note.body);
  const events = world.witness.talks.of(message);
  const edits = events.filter(each => each.kind === 'edited');
  const texts = [`${talk.mark} the replica lags`, ...edits.map(each => each.text)];
  if (!texts.includes(text)) return [`never had the words of its note: ${note.body}`];
  const last = edits.at(-1);
  const deletion = events.find(each => each.kind === 'deleted');
  const isDue = !deletion && (!last || isSure(world, last));
  if (isDue && text !== texts.at(-1)) return [`is “${texts.at(-1)}” in Slack, and its note is “${note.body}”`];
  const added = intents.filter(
    row => row.kind === messageKind && row.key.includes(`/${message.channel}/${message.ts}`),
  );
  const isRewritten = !added.some(row => row.payload.includes(JSON.stringify(text)));
  if (isRewritten && !foot.includes('edited by'))
    return [`was edited, and its note does not say by whom: ${note.body}`];
  const isMarked = foot.includes('since deleted in Slack');
  if (deletion?.isTaken && !isMarked) return [`is deleted, and its note does not say so: ${note.body}`];
  return isMarked && !deletion ? [`is not deleted, and its note says so: ${note.body}`] : [];
}

/** The note has the author and the time of the message, and whoever added it is one of those who wanted it. */
function originTrue({ world, acts }: Evidence, talk: Talk, note: Item): readonly string[] {
  const { message, mark, authorId } = talk;
  const reacted = world.witness.talks.of(message).filter(each => each.kind === 'reacted');
  const asked = acts.filter(act => act.kind === 'message' && act.mark === mark);
  const adder = [...reacted, ...asked].find(({ userId }) => note.user_id.endsWith(userId));
  if (!adder) return [`was noted by ${note.user_id}, who did not ask for it`];
  if (Math.abs(note.event_at / 1000 - Number(message.ts) * 1000) >= 1)
    return [`stands at another time: ${note.event_at}`];
  const author = world.slack.person(authorId);
  const isNamed = [`said by ${author.name}`, authorId].some(each => note.body.includes(each));
  return adder.userId === authorId || isNamed ? [] : [`does not say who said it: ${note.body}`];
}

/** Whether the event tells of a reaction that puts messages on the timeline. */
function isMeant({ settings, slack }: Evidence['world'], { userId, emoji }: TalkEvent): boolean {
  return userId !== slack.botUserId && settings.timelineEmoji.has(emoji);
}

/** Whether Muster knows of it, and may do something about it: an account that is deactivated meanwhile may change nothing. */
function isSure({ plan, slack, witness }: Evidence['world'], event: TalkEvent): boolean {
  const isLeaving = plan.departures.some(({ place }) => slack.people[place % slack.people.length]?.id === event.userId);
  return !isLeaving && witness.talks.isKnown(event);
}

function isGone({ message }: Talk): boolean {
  return message.deleted || message.subtype === 'tombstone';
}

function foreignNotes({ world, activity }: Evidence): readonly Complaint[] {
  return world.elsewhere.notes
    .filter(({ body, isRemoved }) => activity.filter(row => row.body === body).length !== (isRemoved ? 0 : 1))
    .map(({ body }) => `another client wrote “${body}”, and the timeline does not have it as it left it`);
}
