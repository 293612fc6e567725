import type { Command } from 'commander';
import { describeIntent } from '../bot/describe-intent.ts';
import { type JournalAdmin, openJournalAdmin, whyNotDone } from '../bot/journal/admin.ts';
import { deleteDraftsOf } from '../bot/retention.ts';
import { type IntentState, intentStates } from '../bot/schema/intents.ts';
import { botMigrations } from '../bot/schema/migrations.ts';
import type { Database } from '../db/database.ts';
import { migrate } from '../db/migrate.ts';
import { addExample, count, type Host, toLimit, toTable } from './command.ts';
import { addRows, type DatabaseCommand } from './stored-database.ts';

/** `muster journal`: what people asked for in Slack, for operators. A running Muster may have the journal open too. */
export function register(program: Command, host: Host): void {
  const group = program
    .command('journal')
    .description('manage intents: the requests of people in Slack, and their outcomes');
  addExample(group, 'muster journal list');
  addRows(group, host, rows);
}

/** States that an operator may have to do something about. */
const openStates: readonly IntentState[] = ['pending', 'running', 'failed'];

const rows: readonly DatabaseCommand[] = [
  {
    usage: 'list',
    summary: 'list the intents that are pending, running or failed, oldest first; done and discarded ones newest first',
    options: [
      ['--state <state>', 'only pending, running, done, failed or discarded'],
      ['--incident <id>', 'only of one incident'],
      ['--limit <count>', 'how many', '50'],
    ],
    examples: ['muster journal list --state failed'],
    act: async (
      { terminal, open },
      options: { readonly state?: string; readonly incident?: string; readonly limit: string },
    ) => {
      const state = intentStates.find(each => each === options.state);
      if (options.state !== undefined && !state)
        throw new Error(`The state must be one of ${intentStates.join(', ')}.`);
      const states = state ? [state] : openStates;
      const most = toLimit(options.limit);
      // Of the open ones, the oldest holds up the others.
      const first = state === 'done' || state === 'discarded' ? 'newest' : 'oldest';
      const subject = options.incident ?? '';
      const { intents, counts } = await withJournal(open(), async journal => ({
        intents: await journal.list({ states, subject, most, first }),
        counts: await journal.countByState(),
      }));
      if (intents.length === 0) {
        terminal.note('The journal has no such intents.\n');
        return;
      }
      terminal.print(
        toTable([
          ['id', 'state', 'incident', 'asked', 'attempts', 'what', 'problem'],
          ...intents.map(each => [
            ...[each.id, each.state, each.subject, each.created_at, String(each.attempts)],
            ...[describeIntent(each), whyNotDone(each)],
          ]),
        ]),
      );
      if (intents.length < most) return;
      const all = counts.filter(each => states.includes(each.state)).reduce((sum, each) => sum + each.count, 0);
      if (all <= intents.length) return;
      const whole = subject === '' ? `These are ${intents.length} of ${all}` : `There may be more of this incident`;
      terminal.note(`${whole}: --limit ${Math.min(all, 99_999)} shows all.\n`);
    },
  },
  {
    usage: 'show <id>',
    summary: 'show everything that is stored of one intent',
    examples: ['muster journal show 0193f0a1-7c2e-7b1d-9f44-2b6f0c1d8e55'],
    act: async ({ terminal, open }, id: string) => {
      const intent = await withJournal(open(), journal => journal.find(id));
      if (!intent) throw new Error(`There is no intent ${id} in this journal. muster journal list shows the intents.`);
      const isWaiting = intent.state === 'pending' && intent.next_at > 0;
      terminal.print(
        toTable([
          ['what', describeIntent(intent)],
          ['state', intent.state],
          ['id', intent.id],
          ['kind', intent.kind],
          ['key', intent.key],
          ['incident', intent.subject],
          ['in order with', intent.lane],
          ['asked', intent.created_at],
          ['changed', intent.changed_at],
          ['by', intent.owner],
          ['from', intent.origin],
          ['attempts', String(intent.attempts)],
          ['may have happened', intent.ambiguous === 1 && intent.state !== 'done' ? 'yes' : 'no'],
          ['next attempt', isWaiting ? new Date(intent.next_at).toISOString() : ''],
          ['problem', whyNotDone(intent)],
          ['payload', intent.payload],
          ['outcome', intent.outcome],
        ]),
      );
    },
  },
  {
    usage: 'retry [id]',
    summary: 'retry one intent, or all; a running Muster does it within seconds',
    options: [['--all', 'every intent that is pending or failed']],
    examples: ['muster journal retry --all'],
    act: async ({ terminal, open }, id: string | undefined, { all }: { readonly all?: true }) => {
      if ((id === undefined) === (all === undefined)) throw new Error('Name one id, or --all.');
      const due = await withJournal(open(), async journal => {
        const wanted = { states: ['pending', 'failed'] as const, subject: '', most: Number.MAX_SAFE_INTEGER };
        const ids = id === undefined ? (await journal.list(wanted)).toReversed().map(each => each.id) : [id];
        let requeued = 0;
        for (const each of ids) if (await journal.requeue(each)) requeued += 1;
        return requeued;
      });
      if (id !== undefined && due === 0) throw notOpen(id);
      terminal.note(
        `${due} ${due === 1 ? 'intent is' : 'intents are'} due now. A running Muster retries within seconds.\n`,
      );
    },
  },
  {
    usage: 'discard <id>',
    summary: 'give one intent up; with a declaration, also everything that waits for its incident',
    options: [['--force', 'also one that a process ran which ended meanwhile, such as one that ended it']],
    examples: ['muster journal discard 0193f0a1-7c2e-7b1d-9f44-2b6f0c1d8e55'],
    act: async ({ terminal, open }, id: string, { force }: { readonly force?: true }) => {
      const intent = await withJournal(open(), async journal => {
        if (force) await journal.freeDead();
        return await journal.discard(id);
      });
      if (!intent) throw notOpen(id);
      const unsure = ' It may have happened already: the answer to an earlier attempt was lost.';
      terminal.note(`Discarded: ${describeIntent(intent)}.${intent.ambiguous === 1 ? unsure : ''}\n`);
    },
  },
  {
    usage: 'purge',
    summary: 'delete the words of intents that ended: of one incident, or of one person with their drafts',
    options: [
      ['--incident <id>', 'everything about this incident'],
      ['--person <id>', 'everything that this Slack user asked for'],
    ],
    remark: 'An edit in Slack of a message whose intent is deleted does not correct its note.',
    examples: ['muster journal purge --incident 7'],
    act: async ({ terminal, open }, { incident, person }: { readonly incident?: string; readonly person?: string }) => {
      if (!incident === !person) throw new Error('Name one incident, or one person.');
      const { ended, drafts, left } = await withJournal(open(), async (journal, database) => {
        const all = { subject: incident ?? '', most: Number.MAX_SAFE_INTEGER };
        const unfinished = await journal.list({ states: ['pending', 'running'], ...all });
        return {
          ended: await journal.purge(incident ? { subject: incident } : { person: person ?? '' }),
          drafts: person ? await deleteDraftsOf(database, person) : 0,
          left: unfinished.filter(each => !person || each.owner.endsWith(`/${person}`)).length,
        };
      });
      const deleted = [count(ended, 'intent'), ...(person ? [count(drafts, 'draft')] : [])].join(' and ');
      terminal.note(`Deleted: ${deleted}.\n`);
      if (left > 0) terminal.note(`Kept: ${count(left, 'intent')} that did not end. muster journal list shows them.\n`);
    },
  },
];

/** Works on the journal of a database. It attempts no intent. */
async function withJournal<T>(
  opening: Promise<Database>,
  work: (journal: JournalAdmin, database: Database) => Promise<T>,
): Promise<T> {
  await using database = await opening;
  await migrate(database, 'bot', botMigrations, new Date());
  return await work(
    openJournalAdmin(database, () => new Date()),
    database,
  );
}

function notOpen(id: string): Error {
  return new Error(
    `Intent ${id} is neither pending nor failed, or it is not in this journal. muster journal list shows the intents. With --force, one that is running is given up too, unless its process lives.`,
  );
}
