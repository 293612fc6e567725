import { features } from '../bot/features.ts';
import { readPayload } from '../bot/journal/attempt.ts';
import type { IntentKind } from '../bot/journal/intent.ts';
import type { IntentRow } from '../bot/journal/rows.ts';
import { type JournalStore, openStore } from '../bot/journal/store.ts';
import { fromStoredError } from '../bot/journal/stored-error.ts';
import { type IntentState, intentStates } from '../bot/journal/table.ts';
import { memoryMigrations } from '../bot/schema/tables.ts';
import { openDatabase } from '../db/database.ts';
import { migrate } from '../db/migrate.ts';
import type { Terminal } from './host.ts';
import { toTable } from './table.ts';

interface Options {
  readonly database: string;
}

/** The states that are listed unless one is named: those that an operator may have to act on. */
const pending: readonly IntentState[] = ['waiting', 'trying', 'refused'];
const kinds = new Map<string, IntentKind>(
  features.flatMap(feature => feature.intents ?? []).map(intent => [intent.kind, intent]),
);

/** Opens the journal of a database, which a running Muster may have open too. It attempts no intent. */
async function withStore<T>(options: Options, work: (store: JournalStore) => Promise<T>): Promise<T> {
  await using database = await openDatabase(options.database);
  await migrate(database, 'bot', memoryMigrations, new Date());
  return await work(openStore({ database, clock: () => new Date(), owner: 'an operator' }));
}

/** `muster journal list`: the pending intents, or those of one state, newest first. Rejects with a sentence on an unknown state. */
export async function listIntentsCommand(
  terminal: Terminal,
  options: Options & { readonly state?: string; readonly incident?: string; readonly limit: string },
): Promise<void> {
  const states = options.state === undefined ? pending : intentStates.filter(each => each === options.state);
  if (states.length === 0) throw new Error(`The state must be one of ${intentStates.join(', ')}.`);
  const most = Number(options.limit);
  if (!Number.isInteger(most) || most < 1) throw new Error('The limit must be a whole number from 1.');
  const rows = await withStore(options, store => store.list({ states, incidentID: options.incident ?? '', most }));
  if (rows.length === 0) {
    terminal.note('The journal has no such intents.\n');
    return;
  }
  terminal.print(
    toTable([
      ['id', 'state', 'incident', 'asked', 'attempts', 'what', 'problem'],
      ...rows.map(row => [
        row.id,
        row.state,
        row.incident_id,
        row.created_at,
        String(row.attempts),
        toAim(row),
        toProblem(row),
      ]),
    ]),
  );
}

/** `muster journal show`: everything that is stored of one intent. Rejects with a sentence on an unknown id. */
export async function showIntentCommand(terminal: Terminal, id: string, options: Options): Promise<void> {
  const row = await withStore(options, store => store.ofId(id));
  if (!row) throw notFound(id);
  const next = row.state === 'waiting' && row.next_at > 0 ? new Date(row.next_at).toISOString() : '';
  terminal.print(
    toTable([
      ['what', toAim(row)],
      ['state', row.state],
      ['id', row.id],
      ['kind', row.kind],
      ['key', row.key],
      ['incident', row.incident_id],
      ['in order with', row.lane],
      ['asked', row.created_at],
      ['changed', row.changed_at],
      ['by', `${row.team_id}/${row.user_id}`],
      ['in channel', row.channel_id],
      ['attempts', String(row.attempts)],
      ['may have happened', row.doubt === 1 ? 'yes' : 'no'],
      ['next attempt', next],
      ['problem', toProblem(row)],
      ['payload', row.payload],
      ['outcome', row.outcome],
    ]),
  );
}

/** `muster journal retry`: makes one intent due at once, or with `all` every one that waits or was refused. A running Muster then attempts it. */
export async function retryIntentsCommand(
  terminal: Terminal,
  id: string | undefined,
  options: Options & { readonly all?: true | undefined },
): Promise<void> {
  if ((id === undefined) === (options.all === undefined)) throw new Error('Name one id, or --all.');
  const count = await withStore(options, async store => {
    const wanted = { states: ['waiting', 'refused'] as const, incidentID: '', most: 10_000 };
    const ids = id === undefined ? (await store.list(wanted)).toReversed().map(row => row.id) : [id];
    let requeued = 0;
    for (const each of ids) if (await store.requeue(each)) requeued += 1;
    return requeued;
  });
  if (id !== undefined && count === 0) throw notOpen(id);
  terminal.note(
    `${count} ${count === 1 ? 'intent is' : 'intents are'} due now. A running Muster retries within seconds.\n`,
  );
}

/** `muster journal discard`: gives one intent up. Rejects with a sentence when it is not waiting or refused. */
export async function discardIntentCommand(terminal: Terminal, id: string, options: Options): Promise<void> {
  const row = await withStore(options, store => store.discard(id));
  if (!row) throw notOpen(id);
  terminal.note(`Discarded: ${toAim(row)}.\n`);
}

function notOpen(id: string): Error {
  return new Error(`${id} is done, running, or not in this journal. muster journal list shows the intents.`);
}

function notFound(id: string): Error {
  return new Error(`There is no intent ${id} in this journal. muster journal list shows the intents.`);
}

function toAim(row: IntentRow): string {
  const intent = kinds.get(row.kind);
  try {
    return intent ? intent.aim(readPayload(intent, row)) : row.kind;
  } catch {
    return `${row.kind}, stored by another version`;
  }
}

function toProblem(row: IntentRow): string {
  if (row.outcome === '' || row.state === 'done') return '';
  const { code, message } = fromStoredError(row.outcome);
  return `${code}: ${message}`;
}
