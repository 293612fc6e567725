import type { Channel, Message } from '../../../../playground/fake-slack/fake-slack.ts';
import { mistakeLabel } from '../../../../src/contract/mistakes.ts';
import { isArchivedSince } from './archives.ts';
import { type Change, changesOf, type Intent, overtaking, remade, undoneBy, unheard } from './changes.ts';
import { type Complaint, type Evidence, isOwnUser } from './evidence.ts';
import { isAbout } from './told.ts';

/** What a line says at its end when its change was asked for, or made, long before. */
const askedBefore = / · (?:asked for [^\n]*|<!date\^\d+\^[^<>\n]*>$)/gm;

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

/** What a role that is handed over is called here. */
const handOver = 'hand-over';

/** The role, and those who got it, of a line that tells of a hand-over. */
function toHandOver(line: string): string | undefined {
  const [, by, took] = /^:bust_in_silhouette: <@(\w+)> took over (?:the role )?\*?(\w+)/.exec(line) ?? [];
  if (by && took) return `${toRole(took)} ${by}`;
  const [, what, to = ''] =
    /^:bust_in_silhouette: <@\w+> (?:handed|gave) (?:the role )?\*?(\w+)\*? (?:back )?to (.*?)(?: in place of .*)?$/.exec(
      line,
    ) ?? [];
  const ids = [...to.matchAll(/<@(\w+)>/g)].map(each => each[1]);
  return what && `${toRole(what)} ${ids.toSorted().join(' ')}`;
}

/** The role that is handed over: whoever is its commander has command. */
function toRole(held: string): string {
  return held === 'command' ? 'commander' : held;
}

/** The name of what a hand-over did. */
function nameOfHandOver({ payload }: Intent): string {
  const { role, to } = JSON.parse(payload) as { role: string; to: { slackUserID: string }[] };
  return `${handOver} ${role} ${to
    .map(each => each.slackUserID)
    .toSorted()
    .join(' ')}`;
}

const sorts: Readonly<Record<string, Sort>> = {
  // Its line tells of several items of the timeline.
  [handOver]: { made: () => undefined, said: toHandOver },
  note: {
    made: ({ kind, body, fields }) =>
      kind === 'userNote' && fields.source === 'note' ? mark.exec(body)?.[0] : undefined,
    said: line => marked(line, /^:memo: \S+ noted/),
  },
  task: {
    made: ({ kind, body }) => (kind === 'taskAdded' ? mark.exec(body)?.[0] : undefined),
    said: line => marked(line, /^:heavy_plus_sign: \S+ added task/),
  },
  update: {
    made: ({ kind, body, fields }) =>
      kind === 'userNote' && fields.source === 'update' ? mark.exec(body)?.[0] : undefined,
    said: line => marked(line, /^\S+ Update\b/),
  },
  title: {
    made: ({ kind, fields }) => (kind === 'incidentTitleChanged' ? String(fields.title) : undefined),
    said: line => /^:pencil2: \S+ renamed the incident to “([^”]+)”/.exec(line)?.[1],
  },
  label: {
    made: ({ kind, fields }) => (kind === 'labelAdded' ? String(fields.label) : undefined),
    said: line => /^:label: \S+ added the label (.+) to the incident$/.exec(line)?.[1],
  },
  unlabel: {
    made: ({ kind, fields }) => (kind === 'labelRemoved' ? String(fields.label) : undefined),
    said: line => /^:label: \S+ took the label (.+) off/.exec(line)?.[1],
  },
  drill: {
    made: ({ kind, fields }) => (kind === 'incidentIsDrillChanged' ? String(fields.isDrill) : undefined),
    said: line => {
      const how = / marked the incident as (real|a \*?drill)/.exec(line)?.[1];
      return how && String(how !== 'real');
    },
  },
  severity: {
    made: ({ kind, fields }) => (kind === 'incidentSeverityChanged' ? String(fields.severity) : undefined),
    said: line => /^\S+ Severity \w+: (?:\w+ → )?(\w+)/.exec(line)?.[1],
  },
  role: {
    made: ({ kind, fields }) => (kind === 'roleAssigned' ? `${fields.role} ${slackIdIn(fields.userID)}` : undefined),
    said: line => {
      const [, made, as] = /^:bust_in_silhouette: <@\w+> made <@(\w+)> \*?(\w+)/.exec(line) ?? [];
      const [, taker, took] =
        /^:bust_in_silhouette: <@(\w+)> took (?:the role )?\*?(\w+)\*?(?: \(.*)?$/.exec(line) ?? [];
      const role = as ?? took;
      return role && `${toRole(role)} ${made ?? taker}`;
    },
  },
  'no role': {
    made: ({ kind, fields }) => (kind === 'roleUnassigned' ? `${fields.role} ${slackIdIn(fields.userID)}` : undefined),
    said: line => {
      const [, taken, from] =
        /^:bust_in_silhouette: <@\w+> took (?:the role )?\*?(\w+)\*? from <@(\w+)>/.exec(line) ?? [];
      const [, id, gave] = /^:bust_in_silhouette: <@(\w+)> gave up (?:the role )?\*?(\w+)/.exec(line) ?? [];
      const role = taken ?? gave;
      return role && `${toRole(role)} ${from ?? id}`;
    },
  },
  status: {
    made: ({ kind, fields }) => (kind === 'incidentStatusChanged' ? String(fields.status) : undefined),
    said: line => {
      const how = /^\S+ (?:Drill )?(resolved after|reopened –)/i.exec(line)?.[1]?.toLowerCase().split(' ')[0];
      return how === 'reopened' ? 'active' : how;
    },
  },
};

/** The Slack id in an id of a user, as the embedded service has it. */
function slackIdIn(userID: unknown): string {
  return String(userID).replace(/^slack:/, '');
}

/** How the room reads of a change that was undone, and the name of such a change here. */
const takenBack = /^:leftwards_arrow_with_hook: (?:<@\w+>|Somebody) took this back: (.*)$/;
const byMistake = /^:leftwards_arrow_with_hook: \*?Declared by mistake\*? – /;
const undone = ', taken back';
const declaration = `the declaration${undone}`;
const partsOfMarks = new Set([`label ${mistakeLabel}`, `unlabel ${mistakeLabel}`, 'drill true', 'drill false']);
const marksMistakes = new Set(['incident.declare.undo', 'incident.status', 'incident.status.undo']);

/** A change, or a line about one. */
interface Told {
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/**
 * The room was told once of each change that Muster's people made, in the order in which they took effect, and of nothing else; the line of
 * one that was undone says so, and the undo has none. Nothing is said before a room has its card, where people of another organisation
 * read, and where Slack refuses lines.
 */
export function everyChangeTold(evidence: Evidence): readonly Complaint[] {
  const { world, rooms } = evidence;
  if (world.plan.refusals.length > 0) return [];
  return rooms.flatMap(room => {
    const channel = world.slack.channels.find(each => each.id === room.channel_id);
    if (!channel || isArchivedSince(evidence, Number(room.incident_id), channel.id)) return [];
    if (room.card_ts === '' || world.witness.readers.wasShared(channel.id)) return [];
    const since = Number(room.card_ts) * 1000;
    const said = linesOf(evidence, Number(room.incident_id), channel);
    const { made, removed, unsure } = madeIn(evidence, Number(room.incident_id), since);
    const isSure = ({ name }: Told) => !unsure.has(name.replace(undone, ''));
    const [happened, told] = [made.filter(isSure), said.filter(isSure)];
    return [
      ...compareCounts(channel, [...happened, ...removed], told, since),
      ...compareOrder(channel, happened, told),
    ];
  });
}

function nameOf(toName: (sort: Sort) => string | undefined): string | undefined {
  for (const [sort, each] of Object.entries(sorts)) {
    const name = toName(each);
    if (name !== undefined) return `${sort} ${name}`;
  }
  return undefined;
}

/** The changes of which the room of an incident must read. */
interface Made {
  /** In the order in which it took effect. */
  readonly made: readonly Told[];
  /** Notes that an undo has removed. */
  readonly removed: readonly Told[];
  /** Names of changes that a line may tell or leave out. */
  readonly unsure: ReadonlySet<string>;
}

function madeIn(evidence: Evidence, incidentID: number, since: number): Made {
  const { activity, intents } = evidence;
  const changes = changesOf(evidence, incidentID);
  const undos = intents.filter(each => each.subject === String(incidentID) && undoneBy(evidence, each) !== undefined);
  const isEffective = (undo: Intent) =>
    undo.kind === 'note.remove'
      ? undo.state === 'done' && JSON.parse(undo.outcome).isRemoved
      : changes.some(each => each.intent?.id === undo.id);
  const undoOf = (intent: Intent | undefined) => undos.find(each => undoneBy(evidence, each)?.id === intent?.id);
  // An undo marks the line of its change; only without one it has a line of its own.
  const hasLine = (intent: Intent): boolean => {
    const act = undoneBy(evidence, intent);
    return intent.kind !== 'incident.declare' && (act === undefined || !hasLine(act));
  };
  const unclear = [...overtaking(evidence, incidentID), ...remade(evidence, incidentID), ...unheard(changes)];
  const unsure = new Set(unclear.map(each => nameOfItem(each) ?? ''));
  const tasks = new Set<string>();
  const marks = intents.filter(each => each.subject === String(incidentID) && marksMistakes.has(each.kind));
  const isHalfMarked = marks.some(each => each.state === 'failed');
  const made = activity
    .filter(row => row.incident_id === incidentID && isOwnUser(evidence, row.user_id))
    .flatMap(row => {
      const { intent } = changes.find(each => each.item.id === row.id) ?? ({} as Partial<Change>);
      const own = nameOf(sort => sort.made(row));
      if (own === undefined) return [];
      // A mark that the API refused half way, or its end, is told as a change that nobody in Slack made.
      if (intent === undefined && isHalfMarked && partsOfMarks.has(own)) return [];
      const isHandedOver = intent?.kind === 'role.handover';
      // One line tells of all that a hand-over did.
      if (isHandedOver && changes.find(each => each.intent?.id === intent.id)?.item.id !== row.id) return [];
      const name = isHandedOver ? nameOfHandOver(intent) : own;
      // A deleted task that an undo brings back is added again, and the line of its deletion says so.
      if (row.kind === 'taskAdded' && tasks.has(name)) return [];
      if (row.kind === 'taskAdded') tasks.add(name);
      const at = row.created_at / 1000;
      // One line tells of all that marks a mistake, or takes that back.
      if (intent && marksMistakes.has(intent.kind) && row.kind !== 'incidentStatusChanged') return [];
      if (intent?.kind === 'incident.declare.undo') return [{ name: declaration, at }];
      const undo = undoOf(intent);
      // Before its room had a card, a change may have a line or not. What an undo found done may have been done by another one.
      if (at <= since || (undo && undo.attempts > 1 && !isEffective(undo))) {
        unsure.add(name);
        if (undo) for (const each of changes) if (each.intent?.id === undo.id) unsure.add(nameOfItem(each) ?? '');
        return [{ name, at }];
      }
      if (intent && !hasLine(intent)) return [];
      return [{ name: undo && isEffective(undo) ? `${name}${undone}` : name, at }];
    });
  const removed = undos
    .filter(each => each.kind === 'note.remove' && isEffective(each))
    .flatMap(undo => {
      const act = undoneBy(evidence, undo);
      const sort = { 'note.add': 'note', 'update.post': 'update' }[act?.kind ?? ''];
      const word = mark.exec(act?.payload ?? '')?.[0];
      if (!sort || !word) return [];
      return [{ name: `${sort} ${word}${undone}`, at: Date.parse(act?.changed_at ?? '') }];
    });
  return { made, removed, unsure };
}

function nameOfItem({ item }: Change): string | undefined {
  return nameOf(sort => sort.made(item));
}

/** The text with a mention for the name of each person: nobody is mentioned for their own act. */
export function toMentions({ world }: Evidence, text: string): string {
  return text.replace(/(?<![\w<])@(\w+)/g, (shown, name: string) => {
    const person = world.slack.people.find(each => each.name === name);
    return person ? `<@${person.id}>` : shown;
  });
}

function linesOf(evidence: Evidence, incidentID: number, channel: Channel): readonly Told[] {
  return channel.messages
    .filter(each => isPublic(each) && isAbout(evidence, incidentID, each))
    .flatMap(({ text, ts }) =>
      toMentions(evidence, text)
        .replace(/^Incident \d+: /, '')
        // A quote belongs to its headline, whose end is looked for before the quote is joined to it.
        .replaceAll(askedBefore, '')
        .replaceAll('\n> ', ' ')
        .split('\n')
        .flatMap(line => {
          const at = Number(ts) * 1000;
          if (byMistake.test(line)) return [{ name: declaration, at }];
          const taken = takenBack.exec(line)?.[1];
          const name = nameOf(sort => sort.said(taken ?? line));
          return name === undefined ? [] : [{ name: taken === undefined ? name : `${name}${undone}`, at }];
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
