import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Incident } from '../../../contract/incidents.ts';
import { isMistake } from '../../../contract/mistakes.ts';
import type { Database } from '../../../db/database.ts';
import type { NoTables } from '../../../db/engine.ts';
import { definePrepared } from '../../../db/prepared.ts';
import { type JournalTables, laneLock } from '../../journal/rows.ts';
import type { BotTables } from '../../schema/tables.ts';
import { versionOf } from '../state/room-store.ts';

/*
 * The state of each incident that its readers know. The transaction that stores one of Muster's own changes as done records the change here
 * too. Any other difference from the API's state was made elsewhere, however late and however often Muster hears of it.
 */

/** A person who holds a role. `name` is only for people. */
const HeldRole = z.object({ role: z.string(), userID: z.string(), name: z.string() });

/** The state of an incident whose changes Muster reports to its room. */
export const IncidentState = z.object({
  title: z.string(),
  status: z.string(),
  severity: z.string(),
  isDrill: z.boolean(),
  labels: z.array(z.string()),
  roles: z.array(HeldRole),
});
export type IncidentState = z.output<typeof IncidentState>;
export type HeldRole = z.output<typeof HeldRole>;

/** The members of the state that one of Muster's own writes set; those that it left alone are absent. */
export interface OwnChange {
  readonly title?: string;
  readonly status?: string;
  /** The end, when it set the status to resolved. */
  readonly end?: { readonly durationSeconds: number; readonly summary: string };
  readonly severity?: string;
  readonly isDrill?: boolean;
  /** The label is there now, or it is gone. */
  readonly label?: { readonly name: string; readonly isThere: boolean };
  /** These people hold the role now, or do not hold it any more. */
  readonly roles?: readonly { readonly role: string; readonly userID: string; readonly isHeld: boolean }[];
  /**
   * This attempt itself made the change; the room is then told even if it may know already. Absent: that is so if the write changes
   * something even where no earlier attempt did.
   */
  readonly appliedNow?: boolean;
}

/** The state of an incident. Its lists are sorted, so that two readings of one state are equal. */
function toState(incident: Incident): IncidentState {
  const { title, status, severity, isDrill, labels, incidentMembership } = incident;
  const roles = incidentMembership.assignments.map(({ role, user: { userID, name } }) => ({
    ...{ role: role.name, userID, name: name || userID },
  }));
  return {
    ...{ title, status, severity, isDrill },
    labels: [...new Set(labels.map(each => each.label))].toSorted(),
    roles: roles.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1)),
  };
}

/** The state after one of Muster's own writes. */
function afterOwnChange(state: IncidentState, own: OwnChange): IncidentState {
  const { label, roles: changed = [], end: _end, appliedNow: _appliedNow, ...plain } = own;
  const labels = label ? [...state.labels.filter(each => each !== label.name)] : state.labels;
  const kept = state.roles.filter(each => !changed.some(other => keyOf(other) === keyOf(each)));
  const given = changed.filter(each => each.isHeld).map(({ role, userID }) => ({ role, userID, name: userID }));
  return {
    ...state,
    ...plain,
    labels: label?.isThere ? [...labels, label.name].toSorted() : labels,
    roles: [...kept, ...given],
  };
}

/** The differences between two states of an incident. */
export interface Differences {
  /** It was declared by mistake. The status, drill and labels that say so are no further differences. */
  readonly isMistake?: true;
  readonly title?: readonly [before: string, after: string];
  readonly status?: readonly [before: string, after: string];
  readonly severity?: readonly [before: string, after: string];
  readonly isDrill?: boolean;
  readonly addedLabels: readonly string[];
  readonly removedLabels: readonly string[];
  readonly given: readonly HeldRole[];
  readonly taken: readonly HeldRole[];
}

/** Compares two states of an incident. A person's new name is no difference. */
export function differencesOf(before: IncidentState, after: IncidentState): Differences {
  if (isMistake(after) && !isMistake(before)) {
    const { status, isDrill, labels } = after;
    return { ...differencesOf({ ...before, status, isDrill, labels }, after), isMistake: true };
  }
  const pair = (name: 'title' | 'status' | 'severity') =>
    before[name] === after[name] ? {} : { [name]: [before[name], after[name]] as const };
  const lacks = (all: readonly HeldRole[]) => (each: HeldRole) => !all.some(other => keyOf(other) === keyOf(each));
  return {
    ...pair('title'),
    ...pair('status'),
    ...pair('severity'),
    ...(before.isDrill === after.isDrill ? {} : { isDrill: after.isDrill }),
    addedLabels: after.labels.filter(each => !before.labels.includes(each)),
    removedLabels: before.labels.filter(each => !after.labels.includes(each)),
    given: after.roles.filter(lacks(before.roles)),
    taken: before.roles.filter(lacks(after.roles)),
  };
}

/** Whether a room would notice no difference between two states. */
export function isSameState(before: IncidentState, after: IncidentState): boolean {
  const { addedLabels, removedLabels, given, taken, ...plain } = differencesOf(before, after);
  const lists = [addedLabels, removedLabels, given, taken];
  return Object.keys(plain).length === 0 && lists.every(each => each.length === 0);
}

function keyOf({ role, userID }: { readonly role: string; readonly userID: string }): string {
  return `${role}\n${userID}`;
}

/** An incident that differs from what its readers know. */
export interface Difference {
  readonly before: IncidentState;
  readonly after: IncidentState;
}

/** Whether an incident was over and goes on again. */
export function isReopened({ before, after }: Difference): boolean {
  return before.status === 'resolved' && after.status === 'active';
}

/** Compares what the API shows of incidents with the state that their readers know. */
export class KnownStates {
  readonly #database: Database;
  readonly #kinds: readonly string[];

  /** `kinds` are the kinds of intents that change the state of an incident. */
  constructor(deps: { readonly database: Database; readonly kinds: readonly string[] }) {
    this.#database = deps.database;
    this.#kinds = deps.kinds;
  }

  /** The state of an incident that its readers know; undefined when they know none. */
  async read(incidentID: string): Promise<IncidentState | undefined> {
    return await readKnownState(this.#database.as<BotTables>(), incidentID);
  }

  /** How the state that the API shows differs from the one that readers know; undefined when it does not, `unknown` when they know none. */
  async difference(incident: Incident): Promise<Difference | 'unknown' | undefined> {
    const before = await this.read(incident.incidentID);
    return before ? toDifference(incident, before) : 'unknown';
  }

  /**
   * Records that readers know the state that the API shows. `tell` adds the lines about the difference, in the same transaction. `version` is
   * the card's, from before the incident was read. `unsettled`: a write of Muster's own may be in that state, and has yet to end.
   */
  async learn(
    incident: Incident,
    version: number,
    tell: (trx: Kysely<NoTables>, difference: Difference) => Promise<void>,
  ): Promise<'learned' | 'unsettled'> {
    const { incidentID } = incident;
    return await this.#database.withLock<NoTables, 'learned' | 'unsettled'>(laneLock([incidentID]), async plain => {
      const trx = plain.withTables<BotTables>();
      if (await this.#isUnsettled(plain, incidentID)) return 'unsettled';
      // It was changed since it was read: another round follows.
      if ((await versionOf(plain, incidentID)) !== version) return 'learned';
      const before = await readKnownState(trx, incidentID);
      const difference = before && toDifference(incident, before);
      if (before && !difference) return 'learned';
      if (difference) await tell(plain, difference);
      await write(trx, incidentID, difference?.after ?? toState(incident));
      return 'learned';
    });
  }

  async #isUnsettled(plain: Kysely<NoTables>, incidentID: string): Promise<boolean> {
    const row = await plain
      .withTables<JournalTables>()
      .selectFrom('bot_intent')
      .select('id')
      .where('subject', '=', incidentID)
      .where('kind', 'in', [...this.#kinds])
      .where(({ or, and, eb }) =>
        or([eb('state', '=', 'running'), and([eb('state', '=', 'pending'), eb('ambiguous', '=', 1)])]),
      )
      .executeTakeFirst();
    return row !== undefined;
  }
}

/** When the API names only some holders of roles, the roles stay as they were. */
function toDifference(incident: Incident, before: IncidentState): Difference | undefined {
  const { assignments, totalAssignments } = incident.incidentMembership;
  const state = toState(incident);
  const after = assignments.length < totalAssignments ? { ...state, roles: before.roles } : state;
  return isSameState(before, after) ? undefined : { before, after };
}

/**
 * Begins to compare an incident that has readers, or will have them. They first know the state that was `declared`, or else the one that
 * its card shows.
 */
export async function beginComparing(trx: Kysely<NoTables>, incidentID: string, declared?: Incident): Promise<void> {
  const state = declared ? JSON.stringify(toState(declared)) : '';
  await trx
    .withTables<BotTables>()
    .insertInto('bot_known_state')
    .values({ incident_id: incidentID, state })
    .onConflict(conflict => conflict.column('incident_id').doNothing())
    .execute();
}

/** Whether Muster knows an incident: it was declared through Muster, has a room, or was offered one. */
export async function isKnownIncident(database: Database, incidentID: string): Promise<boolean> {
  return (await readState(database.as<BotTables>(), incidentID)) !== undefined;
}

/**
 * Records a change of Muster's own. Called in the transaction that stores the intent as done. Returns the states that readers knew and know;
 * undefined when it is unknown what they knew.
 */
export async function recordOwnChange(
  trx: Kysely<NoTables>,
  incidentID: string,
  own: OwnChange,
): Promise<Difference | undefined> {
  const db = trx.withTables<BotTables>();
  const before = await readKnownState(db, incidentID);
  if (!before) return undefined;
  const after = afterOwnChange(before, own);
  await write(db, incidentID, after);
  return { before, after };
}

/** The state that readers know; undefined when there is none, or another version of Muster stored another shape. */
export async function readKnownState(db: Kysely<BotTables>, incidentID: string): Promise<IncidentState | undefined> {
  return parseKnownState((await readState(db, incidentID)) ?? '');
}

/** The state that a row has; undefined where it has none, or one of another version of Muster. */
export function parseKnownState(stored: string): IncidentState | undefined {
  return stored === '' ? undefined : IncidentState.safeParse(JSON.parse(stored)).data;
}

async function readState(db: Kysely<BotTables>, incidentID: string): Promise<string | undefined> {
  return (await findState(db, { incidentID }))[0]?.state;
}

const findState = definePrepared<BotTables, { incidentID: string }, { state: string }>((db, { incidentID }) =>
  db.selectFrom('bot_known_state').select('state').where('incident_id', '=', incidentID),
);

async function write(db: Kysely<BotTables>, incidentID: string, state: IncidentState): Promise<void> {
  const row = { state: JSON.stringify(state) };
  await db
    .insertInto('bot_known_state')
    .values({ incident_id: incidentID, ...row })
    .onConflict(conflict => conflict.column('incident_id').doUpdateSet(row))
    .execute();
}
