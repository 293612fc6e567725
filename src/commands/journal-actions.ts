import { describeIntent } from '../bot/describe-intent.ts';
import { type JournalAdmin, openJournalAdmin, openStates, toIntentState, whyNotDone } from '../bot/journal/admin.ts';
import { deleteDraftsOf } from '../bot/retention.ts';
import { intentStates } from '../bot/schema/intents.ts';
import { botMigrations } from '../bot/schema/migrations.ts';
import type { Database } from '../db/database.ts';
import { migrate } from '../db/migrate.ts';
import { type Terminal, toLimit, toTable } from './command.ts';
import { openStored } from './stored-database.ts';

interface Options {
  readonly database: string;
}

/** Opens the journal of a database, which a running Muster may have open too. It attempts no intent. */
async function withJournal<T>(
  terminal: Terminal,
  options: Options,
  work: (journal: JournalAdmin, database: Database) => Promise<T>,
): Promise<T> {
  await using database = await openStored(terminal, options.database);
  await migrate(database, 'bot', botMigrations, new Date());
  return await work(
    openJournalAdmin(database, () => new Date()),
    database,
  );
}

/**
 * `muster journal list`: the open intents, oldest first, since the oldest holds up the others; those of one state that is over, newest
 * first. Rejects with a sentence on an unknown state.
 */
export async function listIntentsCommand(
  terminal: Terminal,
  options: Options & { readonly state?: string; readonly incident?: string; readonly limit: string },
): Promise<void> {
  const state = options.state === undefined ? undefined : toIntentState(options.state);
  if (options.state !== undefined && !state) throw new Error(`The state must be one of ${intentStates.join(', ')}.`);
  const states = state ? [state] : openStates;
  const most = toLimit(options.limit);
  const first = state === 'done' || state === 'discarded' ? 'newest' : 'oldest';
  const subject = options.incident ?? '';
  const { rows, counts } = await withJournal(terminal, options, async journal => ({
    rows: await journal.list({ states, subject, most, first }),
    counts: await journal.countByState(),
  }));
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
        row.subject,
        row.created_at,
        String(row.attempts),
        describeIntent(row),
        whyNotDone(row),
      ]),
    ]),
  );
  if (rows.length < most) return;
  const all = counts.filter(each => states.includes(each.state)).reduce((sum, each) => sum + each.count, 0);
  if (all <= rows.length) return;
  const whole = subject === '' ? `These are ${rows.length} of ${all}` : `There may be more of this incident`;
  terminal.note(`${whole}: --limit ${Math.min(all, 99_999)} shows all.\n`);
}

/** `muster journal show`: everything that is stored of one intent. Rejects with a sentence on an unknown id. */
export async function showIntentCommand(terminal: Terminal, id: string, options: Options): Promise<void> {
  const row = await withJournal(terminal, options, journal => journal.find(id));
  if (!row) throw notFound(id);
  const next = row.state === 'pending' && row.next_at > 0 ? new Date(row.next_at).toISOString() : '';
  terminal.print(
    toTable([
      ['what', describeIntent(row)],
      ['state', row.state],
      ['id', row.id],
      ['kind', row.kind],
      ['key', row.key],
      ['incident', row.subject],
      ['in order with', row.lane],
      ['asked', row.created_at],
      ['changed', row.changed_at],
      ['by', row.owner],
      ['from', row.origin],
      ['attempts', String(row.attempts)],
      ['may have happened', row.ambiguous === 1 ? 'yes' : 'no'],
      ['next attempt', next],
      ['problem', whyNotDone(row)],
      ['payload', row.payload],
      ['outcome', row.outcome],
    ]),
  );
}

/** `muster journal retry`: makes one intent due at once, or with `all` every pending and failed one. A running Muster then attempts it. */
export async function retryIntentsCommand(
  terminal: Terminal,
  id: string | undefined,
  options: Options & { readonly all?: true | undefined },
): Promise<void> {
  if ((id === undefined) === (options.all === undefined)) throw new Error('Name one id, or --all.');
  const count = await withJournal(terminal, options, async journal => {
    const wanted = { states: ['pending', 'failed'] as const, subject: '', most: Number.MAX_SAFE_INTEGER };
    const ids = id === undefined ? (await journal.list(wanted)).toReversed().map(row => row.id) : [id];
    let requeued = 0;
    for (const each of ids) if (await journal.requeue(each)) requeued += 1;
    return requeued;
  });
  if (id !== undefined && count === 0) throw notOpen(id);
  terminal.note(
    `${count} ${count === 1 ? 'intent is' : 'intents are'} due now. A running Muster retries within seconds.\n`,
  );
}

/** `muster journal discard`: gives one intent up. Rejects with a sentence when it is neither pending nor failed. */
export async function discardIntentCommand(terminal: Terminal, id: string, options: Options): Promise<void> {
  const row = await withJournal(terminal, options, journal => journal.discard(id));
  if (!row) throw notOpen(id);
  const unsure = ' It may have happened already: the answer to an earlier attempt was lost.';
  terminal.note(`Discarded: ${describeIntent(row)}.${row.ambiguous === 1 ? unsure : ''}\n`);
}

/**
 * `muster journal purge`: deletes the intents of an incident or a person that ended, and a person's drafts. Rejects with a sentence
 * unless one of the two is named.
 */
export async function purgeIntentsCommand(
  terminal: Terminal,
  { incident, person, ...options }: Options & { readonly incident?: string; readonly person?: string },
): Promise<void> {
  if (!incident === !person) throw new Error('Name one incident, or one person.');
  const { ended, drafts, left } = await withJournal(terminal, options, async (journal, database) => {
    const all = { subject: incident ?? '', most: Number.MAX_SAFE_INTEGER };
    const unfinished = await journal.list({ states: ['pending', 'running'], ...all });
    return {
      ended: await journal.purge(incident ? { subject: incident } : { person: person ?? '' }),
      drafts: person ? await deleteDraftsOf(database, person) : 0,
      left: unfinished.filter(row => !person || row.owner.endsWith(`/${person}`)).length,
    };
  });
  const deleted = [count(ended, 'intent'), ...(person ? [count(drafts, 'draft')] : [])].join(' and ');
  terminal.note(`Deleted: ${deleted}.\n`);
  if (left > 0) terminal.note(`Kept: ${count(left, 'intent')} that did not end. muster journal list shows them.\n`);
}

/** "1 intent", "2 intents". */
function count(many: number, noun: string): string {
  return `${many} ${noun}${many === 1 ? '' : 's'}`;
}

function notOpen(id: string): Error {
  return new Error(
    `Intent ${id} is neither pending nor failed, or it is not in this journal. muster journal list shows the intents.`,
  );
}

function notFound(id: string): Error {
  return new Error(`There is no intent ${id} in this journal. muster journal list shows the intents.`);
}
