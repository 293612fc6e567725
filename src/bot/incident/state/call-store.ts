import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { CallChain } from '../../../config/call-formats.ts';
import type { NoTables } from '../../../db/engine.ts';
import type { CalledTable, CallTable } from '../../schema/calls.ts';
import type { BotTables } from '../../schema/tables.ts';
import type { Settings } from './settings.ts';

/** One target of a chain. */
export const CallTarget = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('group'), handle: z.string() }),
  z.object({ kind: z.literal('pager'), name: z.string() }),
]);
export type CallTarget = z.output<typeof CallTarget>;

/** A target as people write it, in plain text: `@sre`, `pager sre`. */
export function targetName(target: CallTarget): string {
  return target.kind === 'group' ? `@${target.handle}` : `pager ${target.name}`;
}

/** The handles of the groups that some chains call, each once. */
export function groupsOf(chains: readonly CallChain[]): ReadonlySet<string> {
  const targets = chains.flatMap(each => each.targets);
  return new Set(targets.flatMap(each => (each.kind === 'group' ? [each.handle] : [])));
}

/** The facts of an incident that decide whether a chain begins. */
interface CallFacts {
  readonly status: string;
  readonly severity: string;
  readonly isDrill: boolean;
  readonly labels: readonly string[];
}

/** The name of a chain among those of an incident: `severity critical`. */
export function chainName({ at, name }: CallChain): string {
  return `${at} ${name}`;
}

/** Whether people may be called for an incident without being asked for: it goes on, and is no drill. */
export function mayCall({ status, isDrill }: CallFacts): boolean {
  return status !== 'resolved' && !isDrill;
}

/**
 * The chains that a change begins. `before` is undefined at a declaration. A severity begins its chain when it is raised to it, a label when
 * it is added; a drill that turns out to be real begins all that fit. `severities` go from mild to grave.
 */
export function chainsBegun(
  chains: readonly CallChain[],
  severities: readonly string[],
  before: CallFacts | undefined,
  after: CallFacts,
): readonly CallChain[] {
  if (!mayCall(after)) return [];
  const was = before?.isDrill ? undefined : before;
  const rank = (severity: string) => severities.findIndex(each => isSame(each, severity));
  const isRaised = was === undefined || rank(after.severity) > rank(was.severity);
  const has = ({ labels }: CallFacts, name: string) => labels.some(each => isSame(each, name));
  return chains.filter(({ at, name }) =>
    at === 'severity'
      ? isRaised && isSame(after.severity, name)
      : has(after, name) && !(was !== undefined && has(was, name)),
  );
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/* The rows of calls: who was called to which incident, by whom, and who comes. `incident/lines/calls.ts` changes them with their line. */

/** The answer of a person who was called. */
export interface CallAnswer {
  readonly answer: CalledTable['answer'];
  /** In how many minutes the person comes; 0 where they did not say. */
  readonly minutes: number;
}

/** A call with the people who were called, in their order. */
export interface StoredCall extends Omit<CallTable, 'targets'> {
  /** Of a chain: its targets. None for a person's call. */
  readonly targets: readonly CallTarget[];
  readonly people: readonly CalledTable[];
}

type CallRows = ReturnType<typeof selectCalls>;

function selectCalls(db: Kysely<BotTables>) {
  return db.selectFrom('bot_call as call').selectAll('call');
}

/** Some calls with their people, oldest first. */
export async function readCalls(
  db: Kysely<BotTables>,
  which: (rows: CallRows) => CallRows,
): Promise<readonly StoredCall[]> {
  const calls = await which(selectCalls(db)).orderBy('call.begun_at').orderBy('call.id').execute();
  if (calls.length === 0) return [];
  const ids = calls.map(each => each.id);
  const people = await db.selectFrom('bot_called').selectAll().where('call_id', 'in', ids).orderBy('seq').execute();
  return calls.map(call => ({
    ...call,
    targets: CallTarget.array().parse(JSON.parse(call.targets)),
    people: people.filter(each => each.call_id === call.id),
  }));
}

/** One call; undefined when there is none of that id. */
export async function readCall(db: Kysely<BotTables>, id: string): Promise<StoredCall | undefined> {
  return (await readCalls(db, rows => rows.where('call.id', '=', id)))[0];
}

/** Whether one of the people of a call comes, or is there. */
export function isAnswered(people: readonly CalledTable[]): boolean {
  return people.some(({ answer }) => answer === 'coming' || answer === 'there');
}

/**
 * A change of an incident begins the chains that it is to, each once for one incident. Called in the transaction that stores the change,
 * under the lock of the journal. Their first targets are called once the incident has a room.
 */
export async function beginChains(
  trx: Kysely<NoTables>,
  incidentID: string,
  { before, after }: { readonly before?: CallFacts | undefined; readonly after: CallFacts },
  { call: chains, severities }: Settings,
  now: Date,
): Promise<void> {
  const begun = chainsBegun(chains, severities, before, after);
  if (begun.length === 0) return;
  const db = trx.withTables<BotTables>();
  const rows = await db.selectFrom('bot_call').select('chain').where('incident_id', '=', incidentID).execute();
  const known = new Set(rows.map(each => each.chain));
  for (const chain of begun) {
    const name = chainName(chain);
    if (known.has(name)) continue;
    const row: CallTable = {
      ...{ id: randomUUID(), incident_id: incidentID, chain: name, targets: JSON.stringify(chain.targets), step: -1 },
      ...{ next_at: now.getTime(), state: 'open', caller: '', why: '', line: '', begun_at: now.getTime() },
    };
    await db.insertInto('bot_call').values(row).execute();
  }
}
