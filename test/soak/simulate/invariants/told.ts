import type { Channel, Message } from '../../../../playground/fake-slack/fake-slack.ts';
import { isArchivedSince } from './archives.ts';
import { overtaking } from './changes.ts';
import { type Complaint, type Evidence, isOwnUser } from './evidence.ts';

/** What a room is told of when somebody changes it elsewhere: how the timeline records it, and how the line says the new value. */
const fields = {
  severity: {
    kind: 'incidentSeverityChanged',
    before: 'previousSeverity',
    said: /set the severity from \S+ to (\w+)/,
  },
  status: {
    kind: 'incidentStatusChanged',
    before: 'previousStatus',
    said: /\b(resolved|reopened) the incident|\b(declared by mistake)/,
  },
  title: { kind: 'incidentTitleChanged', before: 'previousTitle', said: /renamed the incident to “([^”]+)”/ },
} as const;
type Field = keyof typeof fields;

/** That an incident was a mistake: it ended, and has the label of one, which it may have had before. */
const mistake = 'declared by mistake';
/** Words of lines for values of the API. */
const meanings: Readonly<Record<string, string>> = { reopened: 'active', [mistake]: 'resolved' };

/** One change of a field. */
interface Change {
  readonly value: string;
  readonly was: string;
  /** Another client of the API made it, when the incident had its room, and the room had something to compare with. */
  readonly isToBeTold: boolean;
  /** Another client of the API made it. */
  readonly isForeign: boolean;
  readonly at: number;
}

/**
 * A room is told once of each change from elsewhere that lasted: of the last one, unless Muster's people came after it. It is told of
 * nothing that its own people did. What was changed before Muster had compared the room with the API for the first time, nobody was told
 * otherwise before; where people of another organisation read, nothing is said; and Slack may refuse a line.
 */
export function changesTold(evidence: Evidence): readonly Complaint[] {
  const { world, rooms } = evidence;
  return rooms.flatMap(room => {
    const channel = world.slack.channels.find(each => each.id === room.channel_id);
    if (!channel || world.witness.readers.wasShared(channel.id)) return [];
    if (isArchivedSince(evidence, Number(room.incident_id), channel.id)) return [];
    const of = (field: Field) => tellingOf(evidence, Number(room.incident_id), channel, field);
    return (Object.keys(fields) as Field[]).flatMap(of);
  });
}

function tellingOf(evidence: Evidence, incidentID: number, channel: Channel, field: Field): readonly Complaint[] {
  const { said } = fields[field];
  const changes = changesOf(evidence, incidentID, field);
  const lines = channel.messages
    .filter(each => each.botId !== undefined && each.text.includes('📡'))
    .filter(each => isAbout(evidence, incidentID, each))
    .flatMap(({ ts, text }) =>
      text
        .split('\n')
        .filter(line => line.includes('📡'))
        .flatMap(
          line =>
            said
              .exec(line)
              ?.slice(1)
              .find(word => word !== undefined) ?? [],
        )
        .map(word => ({ word, value: meanings[word] ?? word, at: Number(ts) * 1000 })),
    );
  // The label alone makes a mistake of one that is over.
  const plain = lines.filter(({ word }) => word !== mistake);
  const echoes = plain.filter(({ value }) => {
    const made = changes.filter(each => each.isForeign && each.value === value).length;
    return plain.filter(each => each.value === value).length > made;
  });
  const where = `#${channel.name}`;
  if (echoes.length > 0)
    return [`${where} reads of more changes elsewhere to ${field} ${echoes[0]?.value} than there were`];
  const own = changes.findLastIndex(each => !each.isForeign);
  const since = changes.slice(own + 1);
  const begun = since.findIndex(each => each.isToBeTold);
  const [first, last] = [since[begun], since.at(-1)];
  // A line that Slack refuses is not said.
  if (evidence.world.plan.refusals.length > 0) return [];
  if (!first || !last || mayBeOwn(evidence, incidentID, field, last.value)) return [];
  const line = lines.at(-1);
  const isSaid = line !== undefined && line.value === last.value;
  // Muster may not have compared between changes that it need not tell of.
  if (!since.slice(0, begun + 1).some(each => each.was === last.value)) {
    if (isSaid) return [];
    return [`${where} was not told that ${field} is ${last.value} since somebody set it elsewhere`];
  }
  const isOver = line === undefined || isSaid || line.at < first.at;
  return isOver ? [] : [`${where} was told that ${field} is ${line.value}, and not that it is ${last.value} again`];
}

/** Whether a line in a channel is about that incident: where several live, it says so, unless it was the only one there until then. */
export function isAbout({ rooms }: Evidence, incidentID: number, { channel, text }: Message): boolean {
  const named = /^Incident (\d+):/.exec(text)?.[1];
  const here = rooms.filter(each => each.channel_id === channel);
  const [first] = here.toSorted((one, other) => (one.created_at < other.created_at ? -1 : 1));
  return String(incidentID) === (named ?? first?.incident_id);
}

function changesOf(evidence: Evidence, incidentID: number, field: Field): Change[] {
  const { activity, world } = evidence;
  const { kind, before } = fields[field];
  return activity
    .filter(row => row.incident_id === incidentID && row.kind === kind)
    .map(row => {
      const at = row.created_at / 1000;
      const isForeign = !isOwnUser(evidence, row.user_id);
      const known = world.elsewhere.changes.find(each => each.incidentID === incidentID && Math.abs(each.at - at) < 1);
      const [value, was] = [String(row.fields[field]), String(row.fields[before])];
      return { value, was, at, isForeign, isToBeTold: isForeign && known?.isTelling === true };
    });
}

/** A person in Muster set the same, and an answer was lost, or another client came in between: nobody can tell who changed it. */
function mayBeOwn(evidence: Evidence, incidentID: number, field: Field, value: string): boolean {
  const unsure = evidence.intents.filter(row => row.subject === String(incidentID) && row.attempts > 1);
  return (
    unsure.some(row => row.kind.startsWith(`incident.${field}`) && row.payload.includes(`"${value}"`)) ||
    overtaking(evidence, incidentID).some(each => each.field === field && each.value === value)
  );
}
