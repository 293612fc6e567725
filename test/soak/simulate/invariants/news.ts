import type { Message } from '../../../../playground/fake-slack/fake-slack.ts';
import { mistakeLabel } from '../../../../src/contract/mistakes.ts';
import { bears } from '../people/acts.ts';
import type { Complaint, Evidence } from './evidence.ts';

/** How a line below an announcement tells of each sort of change. */
const sorts = {
  'rise of the severity': / went from \S+ to \*?(\w+)/,
  update: /^📣 .*\b(m\d+)\b/su,
  resolution: / resolved after /,
  mistake: / was declared by mistake/,
  reopening: / is open again/,
} as const;

/** How lines tell that an incident is over. */
const ends = [sorts.resolution, sorts.mistake];

const mark = /\bm\d+\b/;
/** How long after its announcement an incident is shown first when nothing befalls the world, in milliseconds. */
const firstRound = 5000;

/**
 * The channel of announcements reads one card of each incident, and at most one line for each rise of the severity, update, resolution and
 * reopening. No line is lost: each that was posted stands there, and nothing waits.
 */
export function newsTrue(evidence: Evidence): readonly Complaint[] {
  const { world, incidents } = evidence;
  const messages = world.slack.channel(world.settings.announceChannel).messages.filter(isPublic);
  return incidents.flatMap(({ id, title }) => {
    // A message with replies is in its own thread.
    const isTop = ({ threadTs, ts }: Message) => threadTs === undefined || threadTs === ts;
    const cards = messages.filter(each => isTop(each) && each.text.includes(`Incident ${id} (`));
    const [card] = cards;
    const lines = messages.filter(
      each => !isTop(each) && (each.threadTs === card?.ts || new RegExp(`#${id} `).test(each.text)),
    );
    const complaints = [...surplus(evidence, id, lines), ...unknown(evidence, id, lines)];
    if (cards.length > 1) complaints.push(`it has ${cards.length} cards`);
    return complaints.map(each => `the announcement of “${title}”: ${each}`);
  });
}

/** Lines that tell of more than happened. A rise is told by the state that it left, so several may be one line. */
function surplus({ activity, intents }: Evidence, id: number, lines: readonly Message[]): Complaint[] {
  const changes = (kind: string, field: string, value: string) =>
    activity.filter(each => each.incident_id === id && each.kind === kind && each.fields[field] === value).length;
  const happened: Readonly<Record<keyof typeof sorts, (value: string) => number>> = {
    'rise of the severity': severity => changes('incidentSeverityChanged', 'severity', severity),
    // A note that was taken back is not on the timeline, and its line stays, with a mark.
    update: mark =>
      intents.filter(each => each.subject === String(id) && each.kind === 'update.post' && bears(each.payload, mark))
        .length,
    resolution: () => changes('incidentStatusChanged', 'status', 'resolved'),
    // An incident that is open again keeps its label where another client opened it, so its next end is a mistake again.
    mistake: () =>
      changes('labelAdded', 'label', mistakeLabel) > 0 ? changes('incidentStatusChanged', 'status', 'resolved') : 0,
    reopening: () => changes('incidentStatusChanged', 'status', 'active'),
  };
  return Object.entries(sorts).flatMap(([sort, sign]) => {
    const values = lines.flatMap(({ text }) => {
      const found = sign.exec(text);
      return found ? [found[1] ?? ''] : [];
    });
    return [...new Set(values)].flatMap(value => {
      const [told, were] = [values.filter(each => each === value).length, happened[sort as keyof typeof sorts](value)];
      return told > were ? [`${told} lines tell of the ${sort} ${value}, and there were ${were}`] : [];
    });
  });
}

/** What its readers do not know. Slack may refuse a line, and where a room changes who may see it, news are taken back. */
function unknown(evidence: Evidence, id: number, lines: readonly Message[]): Complaint[] {
  const { world, rooms, shown } = evidence;
  const room = rooms.find(each => each.incident_id === String(id));
  const incident = shown.get(id);
  if (!room || !incident || room.announcement_ts === '') return [];
  if (world.plan.refusals.length > 0 || world.plan.areRoomsChanged) return [];
  const rows = evidence.lines.filter(each => each.incident_id === String(id) && each.place === 'announcement');
  const posted = rows.filter(each => each.ts !== '' && each.ts !== '?');
  const waiting = rows.filter(each => each.is_said === 0);
  const lost = posted.filter(({ ts }) => !lines.some(each => each.ts === ts));
  return [
    ...lost.map(each => `a line that was posted does not stand: ${each.words}`),
    ...(lines.length > posted.length ? [`${lines.length} lines stand, and ${posted.length} were posted`] : []),
    ...(waiting.length > 0 ? [`${waiting.length} lines wait`] : []),
    ...missing(evidence, id, lines),
  ];
}

/**
 * What no line tells of. The first line shows that the readers are told. Without one, nobody knows when that began, unless nothing befell
 * the world: then the first round after the announcement began it.
 */
function missing({ activity, rooms, shown, world }: Evidence, id: number, lines: readonly Message[]): Complaint[] {
  const isCalm = Object.values(world.plan).every(each => !Array.isArray(each) || each.length === 0);
  const announced = Number(rooms.find(each => each.incident_id === String(id))?.announcement_ts) * 1000;
  const first = lines[0] ? Number(lines[0].ts) * 1000 : Number.POSITIVE_INFINITY;
  const since = Math.min(first, isCalm ? announced + firstRound : Number.POSITIVE_INFINITY);
  const items = activity.filter(each => each.incident_id === id);
  const isOwn = (userID: string) => world.slack.people.some(each => userID.endsWith(each.id));
  const updates = items
    .filter(each => each.fields.source === 'update' && isOwn(each.user_id) && each.created_at / 1000 > since)
    .map(each => mark.exec(each.body)?.[0] ?? '')
    .filter(each => !lines.some(({ text }) => sorts.update.test(text) && bears(text, each)));
  const changes = items.filter(each => each.kind === 'incidentStatusChanged');
  const before = String(changes.findLast(each => each.created_at / 1000 <= since)?.fields.status ?? 'active');
  const last = lines.findLast(({ text }) => [sorts.reopening, ...ends].some(each => each.test(text)));
  const told = last ? (ends.some(each => each.test(last.text)) ? 'resolved' : 'active') : before;
  const status = shown.get(id)?.status;
  return [
    ...updates.map(each => `no line tells of the update ${each}`),
    ...(last || since < Number.POSITIVE_INFINITY ? [told].filter(each => each !== status) : []).map(
      each => `its readers think that it is ${each}, and it is ${status}`,
    ),
  ];
}

function isPublic({ botId, ephemeralTo, deleted }: Message): boolean {
  return botId !== undefined && ephemeralTo === undefined && !deleted;
}
