import type { Channel, Message } from '../../../../src/fake-slack/fake-slack.ts';
import type { Complaint, Evidence } from './evidence.ts';
import { isAbout } from './told.ts';

/** A mark of a note or a task. */
const mark = /\bm\d+\b/;

/** How a change stands on the timeline, and how its line tells of it: each yields the same name for the same change. */
interface Sort {
  /** The name of a change; undefined for an item that is none of this sort. */
  readonly made: (row: Evidence['activity'][number]) => string | undefined;
  /** The name of the change that a line tells of. */
  readonly said: (line: string) => string | undefined;
}

function marked(line: string, sign: RegExp): string | undefined {
  return sign.test(line) ? mark.exec(line)?.[0] : undefined;
}

const sorts: Readonly<Record<string, Sort>> = {
  note: {
    made: ({ kind, body, fields }) =>
      kind === 'userNote' && fields.source === 'note' ? mark.exec(body)?.[0] : undefined,
    said: line => marked(line, /^:memo: \S+ noted/),
  },
  task: {
    made: ({ kind, body }) => (kind === 'taskAdded' ? mark.exec(body)?.[0] : undefined),
    said: line => marked(line, /^:heavy_plus_sign: \S+ added task/),
  },
  severity: {
    made: ({ kind, fields }) => (kind === 'incidentSeverityChanged' ? String(fields.severity) : undefined),
    said: line => /^\S+ \S+ \w+ the severity: (?:\w+ → )?\*?(\w+)/.exec(line)?.[1],
  },
  status: {
    made: ({ kind, fields }) => (kind === 'incidentStatusChanged' ? String(fields.status) : undefined),
    said: line => {
      const how = /^\S+ (?:Drill )?(resolved|reopened) by/i.exec(line)?.[1]?.toLowerCase();
      return how === 'reopened' ? 'active' : how;
    },
  },
};

/** A change, or a line about one. */
interface Told {
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/**
 * The room was told once of each change that Muster's people made, in the order in which they took effect, and of nothing else. Nothing is
 * said before a room has its card, where people of another organisation read, and where Slack refuses lines.
 */
export function everyChangeTold(evidence: Evidence): readonly Complaint[] {
  const { world, rooms } = evidence;
  if (world.plan.refusals.length > 0) return [];
  return rooms.flatMap(room => {
    const channel = world.slack.channels.find(each => each.id === room.channel_id);
    if (!channel || room.card_ts === '' || world.witness.readers.wasShared(channel.id)) return [];
    const made = changesOf(evidence, Number(room.incident_id));
    const said = linesOf(evidence, Number(room.incident_id), channel);
    return [...compareCounts(channel, made, said, Number(room.card_ts) * 1000), ...compareOrder(channel, made, said)];
  });
}

function nameOf(toName: (sort: Sort) => string | undefined): string | undefined {
  for (const [sort, each] of Object.entries(sorts)) {
    const name = toName(each);
    if (name !== undefined) return `${sort} ${name}`;
  }
  return undefined;
}

function changesOf({ activity, world }: Evidence, incidentID: number): readonly Told[] {
  return activity
    .filter(row => row.incident_id === incidentID && world.slack.people.some(each => row.user_id.endsWith(each.id)))
    .flatMap(row => {
      const name = nameOf(sort => sort.made(row));
      return name === undefined ? [] : [{ name, at: row.created_at / 1000 }];
    });
}

function linesOf(evidence: Evidence, incidentID: number, channel: Channel): readonly Told[] {
  return channel.messages
    .filter(each => isPublic(each) && isAbout(evidence, incidentID, each))
    .flatMap(({ text, ts }) =>
      text
        .replace(/^Incident \d+: /, '')
        .split('\n')
        .flatMap(line => {
          const name = nameOf(sort => sort.said(line));
          return name === undefined ? [] : [{ name, at: Number(ts) * 1000 }];
        }),
    );
}

function compareCounts(
  { name: room }: Channel,
  made: readonly Told[],
  said: readonly Told[],
  since: number,
): readonly Complaint[] {
  const count = (all: readonly Told[], name: string) => all.filter(each => each.name === name).length;
  const names = new Set([...made, ...said].map(each => each.name));
  return [...names].flatMap(name => {
    const [lines, changes] = [count(said, name), count(made, name)];
    const later = made.filter(each => each.at > since);
    if (lines > changes) return [`#${room} tells ${lines} times of “${name}”, which happened ${changes} times`];
    if (lines < count(later, name))
      return [`#${room} tells ${lines} times of “${name}”, which happened ${changes} times`];
    return [];
  });
}

/** Lines about changes that happened once stand in the order of these changes. */
function compareOrder({ name: room }: Channel, made: readonly Told[], said: readonly Told[]): readonly Complaint[] {
  const isOnce = ({ name }: Told) => [made, said].every(all => all.filter(each => each.name === name).length === 1);
  const [happened, told] = [made, said].map(all => all.filter(isOnce).map(each => each.name));
  const at = happened?.findIndex((name, index) => name !== told?.[index]) ?? -1;
  return at < 0 ? [] : [`#${room} tells of “${told?.[at]}” before “${happened?.[at]}”, which came first`];
}

function isPublic({ botId, ephemeralTo, deleted, threadTs, ts }: Message): boolean {
  return botId !== undefined && ephemeralTo === undefined && !deleted && (threadTs === undefined || threadTs === ts);
}
