import { type Expression, type Kysely, sql } from 'kysely';
import type { Database } from '../../../db/database.ts';
import type { NoTables } from '../../../db/engine.ts';
import type { Known } from '../../../db/known.ts';
import { definePrepared, definePreparedChange } from '../../../db/prepared.ts';
import { laneLock } from '../../journal/rows.ts';
import { keepFor } from '../../keep-for.ts';
import type { LinePlace, LineTable } from '../../schema/lines.ts';
import type { BotTables } from '../../schema/tables.ts';
import { addLine, type NewLine, oldCardMark, passReminder, reminderLine, rewordLine } from './outbox.ts';

/** A message, with all its lines in the order of the changes. */
export interface LineMessage extends Pick<LineTable, 'place' | 'channel' | 'thread' | 'audience'> {
  /** The first line. */
  readonly id: string;
  readonly lines: readonly LineTable[];
  /** Slack's time of it; `""` when it has none or that is not known. */
  readonly ts: string;
  /** Slack may show it although its time is not known. */
  readonly mayAlreadyExist: boolean;
  /** It is needed no more: it is not posted, and edited if Slack shows it. */
  readonly isWithdrawn: boolean;
  readonly begunAt: Date;
}

/** A line as it is stored. */
export type StoredLine = LineTable;

/** The facts that the pace of a room depends on. Times are epoch milliseconds. */
export interface PendingLines {
  /** When the latest changes were done, newest first. */
  readonly changes: readonly number[];
  /** A line waits to be shown, or to be shown as it is. */
  readonly isAny: boolean;
  /** One of them must be noticed at once. */
  readonly isUrgent: boolean;
}

/** Lines deleted together. */
const purgedTogether = 500;
/** How many of the latest changes tell how busy a room is. */
const latestChanges = 16;
/** How long it is looked whether a channel takes the lines that it refused, in milliseconds. */
const refusedFor = 7 * 24 * 3_600_000;
/** How long a message counts that a room was given, and a change, in milliseconds. */
const [hour, minute] = [3_600_000, 60_000];

/**
 * The lines of an incident that a round needs: those that wait, with all of their messages; those outside the room; those of changes since
 * `lately`; the first ones of messages since `since`, in epoch milliseconds; and those of the last message.
 */
const readRound = definePrepared<BotTables, { incidentID: string; since: number; lately: number }, LineTable>(
  (db, { incidentID, since, lately }) => {
    const of = db.selectFrom('bot_line').where('incident_id', '=', incidentID);
    const placed = of.where('place', '=', sql.lit('room')).where('message', '!=', sql.lit(''));
    return of
      .selectAll()
      .where(({ or, and, eb, ref }) =>
        or([
          eb('is_said', '=', sql.lit(0)),
          eb('place', '!=', sql.lit('room')),
          eb('done_at', '>', lately),
          and([eb('begun_at', '>', since), eb('message', '=', ref('id'))]),
          eb(
            'message',
            '=',
            placed.select('message').orderBy('begun_at', 'desc').orderBy('seq', 'desc').limit(sql.lit(1)),
          ),
          eb(
            'message',
            'in',
            of.select('message').where('is_said', '=', sql.lit(0)).where('message', '!=', sql.lit('')),
          ),
        ]),
      )
      .orderBy('seq');
  },
);

/** The lines of all incidents. */
export type Lines = ReturnType<typeof openLines>;

/** Opens the lines in the bot's database. */
export function openLines(database: Database, clock: () => Date) {
  const db = database.as<BotTables>();
  const add = (added: readonly NewLine[]): Promise<void> =>
    database.withLock<NoTables, void>(laneLock([...new Set(added.map(each => each.incidentID))]), async trx => {
      for (const line of added) await addLine(trx, line);
    });
  return {
    /** Adds lines that no intent produced; does nothing for ids that exist. */
    add,
    /** Gives a line other words: its message is edited. */
    reword: ({ incident_id, id }: StoredLine, words: string): Promise<void> =>
      database.withLock<NoTables, void>(laneLock([incident_id]), trx => rewordLine(trx, id, words)),
    /** The newest lines of a room, newest first, shown or not. */
    newest: async (incidentID: string, most: number): Promise<readonly StoredLine[]> =>
      await db
        .selectFrom('bot_line')
        .selectAll()
        .where('incident_id', '=', incidentID)
        .where('place', '=', 'room')
        .where(({ not, and, eb }) => not(and([eb('message', '=', ''), eb('is_closed', '=', 1)])))
        .orderBy('seq', 'desc')
        .limit(most)
        .execute(),
    /** The channels that refused a line within the last days, those of the newest lines first. */
    refusing: async (most: number): Promise<readonly string[]> => {
      const since = clock().getTime() - refusedFor;
      const rows = db.selectFrom('bot_line').select('channel').where('is_refused', '=', sql.lit(1));
      const newest = rows.where('done_at', '>', since).groupBy('channel').orderBy(sql`max(done_at)`, 'desc');
      return (await newest.limit(most).execute()).map(each => each.channel);
    },
    /** Lines that a channel refused are said again there, those that it never read as new ones. Returns their incidents. */
    sayAgain: async (channel: string): Promise<readonly string[]> => {
      const refused = db.selectFrom('bot_line').select('incident_id').distinct().where('channel', '=', channel);
      const ids = (await refused.where('is_refused', '=', sql.lit(1)).execute()).map(each => each.incident_id);
      if (ids.length === 0) return [];
      const ifUnread = (then: unknown, column: string) =>
        sql<never>`case when ts = '' then ${then} else ${sql.ref(column)} end`;
      await database.withLock<BotTables, unknown>(laneLock(ids), trx =>
        trx
          .updateTable('bot_line')
          .set({
            message: ifUnread('', 'message'),
            begun_at: ifUnread(0, 'begun_at'),
            is_closed: ifUnread(0, 'is_closed'),
          })
          .set({ is_said: 0, is_refused: 0 })
          .where('channel', '=', channel)
          .where('is_refused', '=', sql.lit(1))
          .execute(),
      );
      return ids;
    },
    /** The lines of one incident, for the round that shows it. */
    round: (incidentID: string, known: Known) =>
      new RoundLines({ database, clock, incidentID, known, add: line => add([line]) }),
    /** Deletes some old lines of rooms; returns how many. Those that outsiders read are kept as long as their incident. */
    purge: async (now: Date) => {
      const old = db
        .selectFrom('bot_line')
        .select('id')
        .where('place', '=', sql.lit('room' as const))
        .where('done_at', '<', now.getTime() - keepFor.lines)
        .limit(purgedTogether);
      const ids = (await old.execute()).map(each => each.id);
      if (ids.length > 0)
        await database.single<BotTables, unknown>(some => some.deleteFrom('bot_line').where('id', 'in', ids).execute());
      return ids.length;
    },
  };
}

type OfMessage = { id: string; message: string; begun_at: number; ts: string; is_closed: number; is_refused: number };

/** Changes a line of that message. Where this process lost its turn, another one may have given the line another message. */
function updateLine(db: Kysely<BotTables>, { id, message }: { id: Expression<string>; message: Expression<string> }) {
  return db
    .updateTable('bot_line')
    .where('id', '=', id)
    .where(({ or, eb }) => or([eb('message', '=', sql.lit('')), eb('message', '=', message)]));
}

const storePlaced = definePreparedChange<BotTables, OfMessage>((db, { id, ...set }) =>
  updateLine(db, { id, message: set.message }).set(set),
);

/** Slack shows a line so. It may have been undone or reworded meanwhile: then it is shown once more. */
const storeSaid = definePreparedChange<BotTables, OfMessage & { undone_by: string; words: string }>(
  (db, { id, undone_by, words, ...set }) =>
    updateLine(db, { id, message: set.message }).set({
      ...set,
      is_said: sql`case when undone_by = ${undone_by} and words = ${words} then 1 else is_said end`,
    }),
);

/** The facts about a line that a round knows, and the database does not yet. */
interface UnstoredLine {
  readonly message: string;
  readonly begun_at: number;
  readonly ts: string;
  readonly is_closed: number;
  readonly is_refused: number;
  /** The line as Slack shows it; undefined while Slack may not show it. */
  readonly said: LineTable | undefined;
}

interface RoundDeps {
  readonly database: Database;
  readonly clock: () => Date;
  readonly incidentID: string;
  readonly known: Known;
  add(line: NewLine): Promise<void>;
}

/**
 * The lines of one incident, as one round of the board says them. They are read in one statement, and what the round has said is stored with
 * its end. So one line is posted before the database knows of it: the oldest one that has no message in Slack yet, alone in its message or
 * joined to the last one. Before any other, all of them are stored. After a crash, {@link recover} finds that line.
 */
export class RoundLines {
  readonly #deps: RoundDeps;
  readonly #placed = new Map<string, UnstoredLine>();
  /** The words of lines that have others since. */
  readonly #reworded = new Map<string, string>();
  /** Messages that Slack has never been given. */
  readonly #fresh = new Set<string>();
  /** Messages that the round has given to Slack, or may have. */
  readonly #touched = new Set<string>();
  /** Messages that Slack did not take. */
  readonly #passed = new Set<string>();
  /** One of them has a line that the database does not know to be posted. */
  #hasUnmarked = false;
  /** Withdrawn lines that Slack may show all the same. */
  #suspects: ReadonlySet<string> = new Set();

  constructor(deps: RoundDeps) {
    this.#deps = deps;
  }

  /** The facts that the pace of the room depends on. Lines for the thread of an announcement wait only where there is one. */
  async waiting(isAnnounced: boolean): Promise<PendingLines> {
    const rows = await this.#rows();
    const latest = rows.filter(each => each.place === 'room').slice(-latestChanges);
    const unsaid = rows.filter(each => each.is_said === 0 && (isAnnounced || each.place !== 'announcement'));
    return {
      changes: latest.map(each => each.done_at).toReversed(),
      isAny: unsaid.length > 0,
      isUrgent: unsaid.some(each => each.is_urgent === 1),
    };
  }

  /** The message that lines which wait would join; undefined when they would begin one. */
  async joined(perHour: number): Promise<LineMessage | undefined> {
    const rows = await this.#rows();
    const waiting = rows.filter(each => each.is_said === 0 && each.place === 'room' && isUnplaced(each));
    if (waiting.length === 0) return undefined;
    const joins = placeLines(waiting, this.#placing(rows, perHour)).find(each => !each.isNew);
    if (!joins || waiting.some(each => each.id === joins.message)) return undefined;
    return toMessages(rows, [joins.message], this.#fresh)[0];
  }

  /** Nothing joins that message any more. */
  async close({ id, lines }: LineMessage): Promise<void> {
    for (const line of lines) {
      const placed = this.#placed.get(line.id);
      if (placed) this.#placed.set(line.id, { ...placed, is_closed: 1 });
    }
    await this.#deps.database.single<BotTables, unknown>(db =>
      db.updateTable('bot_line').set({ is_closed: 1 }).where('message', '=', id).execute(),
    );
  }

  /**
   * The messages at these places that Slack does not show as they are stored, oldest first; `urgent`: up to the last one that people must
   * notice. Lines of a room without a message get one: that of the same person's last minute, the last one when the room has had enough
   * messages within a minute, or `perHour` within an hour, else a new one.
   */
  async due({
    places,
    which,
    perHour,
  }: {
    readonly places: readonly LinePlace[];
    readonly which: 'all' | 'urgent';
    readonly perHour: number;
  }): Promise<readonly LineMessage[]> {
    const rows = await this.#rows();
    const waiting = rows.filter(each => each.is_said === 0 && places.includes(each.place));
    const all = waiting.filter(each => !isWithdrawn(each));
    const withdrawn = waiting.filter(isWithdrawn);
    for (const each of withdrawn.filter(({ id }) => !this.#suspects.has(id))) this.#end(each, each, '');
    const left = withdrawn
      .filter(({ id }) => this.#suspects.has(id))
      .map(row => toMessage(row.id, [{ ...row, message: row.id, begun_at: row.done_at, ts: '?' }], false))
      .map(message => ({ ...message, isWithdrawn: true }));
    if (all.length === 0) return left;
    const last = all.findLastIndex(each => each.is_urgent === 1);
    const isOvertaken = (row: LineTable, at: number) => at <= last && (row.place === 'room' || row.is_urgent === 1);
    const due = which === 'all' ? all : all.filter(isOvertaken);
    const now = this.#deps.clock().getTime();
    const [inRoom, elsewhere] = [due.filter(each => each.place === 'room'), due.filter(each => each.place !== 'room')];
    const placed = [
      ...placeLines(inRoom.filter(isUnplaced), this.#placing(rows, perHour)),
      ...elsewhere.filter(isUnplaced).map(({ id }) => ({ id, message: id, begunAt: now, isNew: true })),
      // Slack refused to show it before, and it has other words now.
      ...due
        .filter(each => isUnposted(each) && !isUnplaced(each))
        .map(each => ({ id: each.id, message: each.message, begunAt: each.begun_at, isNew: true })),
    ];
    for (const { id, message, begunAt, isNew } of placed) {
      const first = this.#placed.get(message) ?? rows.find(each => each.id === message);
      const ts = isNew ? '?' : (first?.ts ?? '');
      const is_closed = rows.find(each => each.id === id)?.is_closed ?? 0;
      this.#placed.set(id, { message, begun_at: begunAt, ts, is_closed, is_refused: 0, said: undefined });
      if (isNew) this.#fresh.add(message);
    }
    const ids = [...due, ...placed].map(each => each.message).filter(each => each !== '');
    return [...left, ...toMessages(await this.#rows(), ids, this.#fresh)];
  }

  /** Slack is about to be given the message: the database knows of it first, unless {@link recover} would find it. */
  async mark({ id, lines }: LineMessage): Promise<void> {
    const stored = await this.#stored();
    const unposted = lines.filter(line => stored.find(each => each.id === line.id)?.ts === '');
    this.#touched.add(id);
    this.#fresh.delete(id);
    if (unposted.length === 0) return;
    const isOldest = unposted.length === 1 && unposted[0]?.id === stored.find(isUnposted)?.id;
    if (isOldest && !this.#hasUnmarked) this.#hasUnmarked = true;
    else await this.#store();
  }

  /** Slack shows the message as it is here, under that time; `""` when it never will. Then nothing joins it. */
  said({ id, lines, begunAt, isWithdrawn: isLeft }: LineMessage, ts: string): void {
    const of = { message: isLeft && ts === '' ? '' : id, begun_at: begunAt.getTime() };
    for (const line of lines) if (line.is_said === 0 || line.ts !== ts) this.#end(line, of, ts);
  }

  /** Slack does not take the message: what it reminds of is said elsewhere. {@link said} follows. */
  passOn({ id }: LineMessage): void {
    this.#passed.add(id);
  }

  /**
   * The channel takes no post, so the message is said once it opens. A reminder is out of date then, and its person is reminded again anyway; the
   * card is shown then. Neither is said.
   */
  refused({ id, lines, begunAt, ts, mayAlreadyExist }: LineMessage): void {
    const of = { message: id, begun_at: begunAt.getTime() };
    for (const line of lines) {
      const isOutdated = reminderLine.dutyOf(line.id) !== undefined || line.id.startsWith(oldCardMark);
      this.#end(line, of, mayAlreadyExist ? '?' : ts, isOutdated ? 0 : 1);
    }
  }

  #end(
    line: LineTable,
    { message, begun_at }: { message: string; begun_at: number },
    ts: string,
    is_refused: 0 | 1 = 0,
  ): void {
    const is_closed = ts === '' ? 1 : line.is_closed;
    this.#placed.set(line.id, { message, begun_at, ts, is_closed, is_refused, said: line });
  }

  /** The lines where the incident was declared. */
  async origins(): Promise<readonly StoredLine[]> {
    return (await this.#rows()).filter(each => each.place === 'origin');
  }

  /** The messages about the incident that people outside its room may read: Slack shows each, or may. */
  async outside(): Promise<readonly LineMessage[]> {
    const rows = (await this.#rows()).filter(each => each.audience === 'readers' && each.ts !== '');
    return rows.map(row => toMessage(row.message, rows, false));
  }

  /** Adds a line that no intent produced; does nothing for an id that exists. */
  add(line: NewLine): Promise<void> {
    return this.#deps.add(line);
  }

  reword({ id }: StoredLine, words: string): void {
    this.#reworded.set(id, words);
  }

  /** The last round of the incident did not end: Slack may show a line although its message is not stored. */
  async recover(): Promise<void> {
    const rows = await this.#rows();
    const suspect = rows.find(isUnposted);
    // One that was withdrawn since may have been the oldest then.
    const withdrawn = rows.filter(each => each.is_said === 0 && isWithdrawn(each));
    const older = withdrawn.filter(each => suspect === undefined || each.seq < suspect.seq);
    this.#suspects = new Set(older.map(each => each.id));
    if (!suspect) return;
    // It is alone, or joined to the last message of its room: that message is shown again, without it.
    const { last } = this.#placing(rows, 0);
    const joined = suspect.place === 'room' && isUnplaced(suspect) ? last?.message : undefined;
    await this.#locked(async trx => {
      const { id, message, begun_at, done_at } = suspect;
      const line = trx.updateTable('bot_line').where('id', '=', id).where('ts', '=', '');
      await line.set({ message: message || id, begun_at: begun_at || done_at, ts: '?' }).execute();
      if (joined === undefined) return;
      await trx
        .updateTable('bot_line')
        .set({ is_said: 0 })
        .where('message', '=', joined)
        .where('ts', '!=', '')
        .execute();
    });
  }

  /** Whether there is something to store at the end of the round. */
  get hasSaid(): boolean {
    return this.#touched.size + this.#placed.size + this.#reworded.size > 0;
  }

  /** Stores what the round has said. Called in the transaction that ends it. */
  async keep(plain: Kysely<NoTables>): Promise<void> {
    const trx = plain.withTables<BotTables>();
    for (const [id, words] of this.#reworded) await rewordLine(plain, id, words);
    for (const [id, { said, ...set }] of this.#placed) {
      // Slack was not given it after all.
      if (said === undefined && !this.#touched.has(set.message)) continue;
      const { undone_by = '', words = '' } = said ?? {};
      await (said === undefined ? storePlaced(trx, { id, ...set }) : storeSaid(trx, { id, ...set, undone_by, words }));
    }
    for (const id of this.#passed) await passReminder(plain, id, this.#deps.clock().getTime());
  }

  /** The round lost its turn: another one may have said its lines otherwise, and Slack may have taken its words last. They are shown again. */
  async lose(plain: Kysely<NoTables>): Promise<void> {
    if (this.#touched.size === 0) return;
    const rows = plain.withTables<BotTables>().updateTable('bot_line').set({ is_said: 0 }).where('ts', '!=', '');
    await rows.where('message', 'in', [...this.#touched]).execute();
  }

  async #store(): Promise<void> {
    await this.#locked(trx => this.keep(trx as Kysely<NoTables>));
    for (const [id, { said, message }] of this.#placed)
      if (said !== undefined || this.#touched.has(message)) this.#placed.delete(id);
    this.#reworded.clear();
    this.#passed.clear();
    this.#hasUnmarked = false;
  }

  // An undo marks lines under this lock.
  #locked<T>(work: (trx: Kysely<BotTables>) => Promise<T>): Promise<T> {
    return this.#deps.database.withLock<BotTables, T>(laneLock([this.#deps.incidentID]), work);
  }

  #stored(): Promise<readonly LineTable[]> {
    const { known, incidentID, clock, database } = this.#deps;
    return known.once(`lines ${incidentID}`, ['bot_line'], async () => {
      const now = clock().getTime();
      const span = { incidentID, since: now - hour, lately: now - minute };
      const rows = await readRound(database.as<BotTables>(), span);
      const standing = new Map(rows.filter(each => each.ts !== '').map(each => [each.message, each.ts]));
      // A line that joined a message has its time.
      return rows.map(row => (row.ts === '' ? { ...row, ts: standing.get(row.message) ?? '' } : row));
    });
  }

  /** The lines as they are stored, and as this round has said them since. */
  async #rows(): Promise<readonly LineTable[]> {
    const stored = await this.#stored();
    if (!this.hasSaid) return stored;
    return stored.map(row => {
      const [placed, words] = [this.#placed.get(row.id), this.#reworded.get(row.id)];
      const line = words === undefined ? row : { ...row, words, is_said: 0 };
      if (!placed) return line;
      const { said, ...set } = placed;
      const isSaid = said?.undone_by === line.undone_by && said.words === line.words;
      return { ...line, ...set, is_said: isSaid ? 1 : line.is_said };
    });
  }

  /** How lines that wait are given messages. */
  #placing(rows: readonly LineTable[], perHour: number): Placing {
    const now = this.#deps.clock().getTime();
    const placed = rows.filter(each => each.place === 'room' && each.message !== '');
    const begun = placed.filter(each => each.message === each.id && each.begun_at > now - hour);
    return {
      last: placed.toSorted((one, other) => one.begun_at - other.begun_at || one.seq - other.seq).at(-1),
      begun: begun.length,
      lately: begun.filter(each => each.begun_at > now - 60_000).length,
      perHour,
      now,
    };
  }
}

/** No message has it yet. */
function isUnplaced({ message }: LineTable): boolean {
  return message === '';
}

/** It waits, and Slack has no message with it as far as is stored. */
function isUnposted(line: LineTable): boolean {
  return line.is_said === 0 && line.ts === '' && !isWithdrawn(line);
}

/** It had no message when it was closed, so it is not needed. */
function isWithdrawn(line: LineTable): boolean {
  return isUnplaced(line) && line.is_closed === 1;
}

/** The messages with these ids, oldest first. `fresh`: the first lines of those that Slack has never been given. */
function toMessages(
  rows: readonly LineTable[],
  ids: readonly string[],
  fresh: ReadonlySet<string>,
): readonly LineMessage[] {
  const wanted = rows.filter(row => ids.includes(row.message));
  // By the order of the changes: the moment at which a message was begun is the wall clock's, and clocks of processes differ.
  const ordered = wanted.toSorted((one, other) => one.seq - other.seq);
  return [...new Set(ordered.map(row => row.message))].map(id => toMessage(id, ordered, fresh.has(id)));
}

/** Whether it has a line that people must notice. */
export function isUrgent({ lines }: LineMessage): boolean {
  return lines.some(each => each.is_urgent === 1 && each.is_said === 0);
}

function toMessage(id: string, rows: readonly LineTable[], isFresh: boolean): LineMessage {
  const lines = rows.filter(row => row.message === id);
  const { ts = '', place = 'room', channel = '', thread = '', audience = 'room', begun_at = 0 } = lines[0] ?? {};
  return {
    ...{ id, lines, place, channel, thread, audience },
    ts: ts === '?' ? '' : ts,
    mayAlreadyExist: !isFresh && ts === '?',
    isWithdrawn: false,
    begunAt: new Date(begun_at),
  };
}

/** How long lines of one person join a message after it began, in milliseconds. */
const together = 60_000;

/** After so many messages within a minute, lines of all people join the last one: each message is a write to Slack, and one more to read. */
const perMinute = 2;

interface PlacedLine {
  readonly id: string;
  /** The first line of its message. */
  readonly message: string;
  /** When that was begun, in epoch milliseconds. */
  readonly begunAt: number;
  /** It is that first line. */
  readonly isNew: boolean;
}

/** The state of a room's messages. */
interface Placing {
  /** A line of its last message. */
  readonly last: Pick<LineTable, 'message' | 'begun_at' | 'actor' | 'is_alone' | 'is_closed'> | undefined;
  /** Messages begun within the last hour, and within the last minute. */
  readonly begun: number;
  readonly lately: number;
  /** So many of them are enough. */
  readonly perHour: number;
  readonly now: number;
}

/**
 * Gives each line without a message one. Lines of one person within a minute share a message. When a room has had enough messages within
 * a minute or an hour, lines of all people join the last one. A line that people must notice always begins one, and nothing joins that.
 */
export function placeLines(
  waiting: readonly Pick<LineTable, 'id' | 'actor' | 'is_alone' | 'message'>[],
  { last, begun, lately, perHour, now }: Placing,
): readonly PlacedLine[] {
  const placed: PlacedLine[] = [];
  let [open, added] = [last, 0];
  const isEnough = () => begun + added >= perHour || lately + added >= perMinute;
  for (const { id, actor, is_alone, message } of waiting) {
    if (message !== '') continue;
    const isOpen = open !== undefined && open.is_alone === 0 && open.is_closed === 0 && is_alone === 0;
    const isSame = open?.actor === actor && now - open.begun_at < together && now >= open.begun_at;
    if (open && isOpen && (isSame || isEnough())) {
      placed.push({ id, message: open.message, begunAt: open.begun_at, isNew: false });
      continue;
    }
    open = { message: id, begun_at: now, actor, is_alone, is_closed: 0 };
    added += 1;
    placed.push({ id, message: id, begunAt: now, isNew: true });
  }
  return placed;
}
