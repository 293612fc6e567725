import { pino } from 'pino';
import { toSettings } from '../src/app.ts';
import type { LateReceipts } from '../src/bot/dispatch/answers/late-receipts.ts';
import type { Deps } from '../src/bot/dispatch/feature/deps.ts';
import { openIntentJournal } from '../src/bot/dispatch/open-journal.ts';
import { findOpen } from '../src/bot/inbox/delivery-store.ts';
import type { IntentJournal } from '../src/bot/incident/acts/intent-kind.ts';
import { watchRecovery } from '../src/bot/incident/api/calls.ts';
import type { Cards } from '../src/bot/incident/board/loop.ts';
import { addNote } from '../src/bot/incident/notes/intents.ts';
import type { Note } from '../src/bot/incident/notes/notes.ts';
import { keepFor } from '../src/bot/keep-for.ts';
import { botMigrations } from '../src/bot/schema/migrations.ts';
import { createClient } from '../src/client/client.ts';
import type { Transport } from '../src/client/transport.ts';
import { readConfig } from '../src/config/config.ts';
import { RpcError } from '../src/contract/errors.ts';
import { openDatabase } from '../src/db/database.ts';
import { Heart } from '../src/db/heart.ts';
import { migrate } from '../src/db/migrate.ts';
import { deadlines } from '../src/deadlines.ts';
import { apiToken } from './slow-api.ts';

/** Incidents of the backlog, and its notes. */
export const incidents = 100;
export const backlog = 1000;
/** How long the API takes over a call, in milliseconds. */
export const apiTime = 20;

/** A journal on a database of its own. While `state.isAway`, its API is away. */
export interface Desk extends AsyncDisposable {
  readonly journal: IntentJournal;
  readonly state: { isAway: boolean };
}

/** Opens a journal. `isSoleProcess`: no other process works on its database. */
export async function openDesk(url: string, transport: Transport, isSoleProcess = true): Promise<Desk> {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await openDatabase(url, { namesStatements: true }));
  const clock = () => new Date();
  await migrate(database, 'bot', botMigrations, clock());
  const state = { isAway: false };
  const away = () => Promise.reject(new RpcError('unavailable', 'away', { maybeApplied: false, retryable: false }));
  const client = createClient({
    ...deadlines.api,
    transport: request => (state.isAway ? away() : transport(request)),
    token: apiToken,
    // The first call after an outage is made at once.
    breaker: { coolDown: 1 },
  });
  const api = watchRecovery(
    client,
    () => true,
    () => void journal.wake(),
  );
  const log = pino({ level: 'silent' });
  // What is stored with each outcome looks these up.
  const deps = {
    settings: toSettings(readConfig({ SLACK_BOT_TOKEN: 'xoxb-bench', SLACK_SIGNING_SECRET: 'bench' })),
    snapshots: { takeAnswer: () => undefined },
  };
  const monotonicNow = () => performance.now();
  const heart = stack.use(new Heart({ database, isSoleProcess, clock, monotonicNow, keptFor: keepFor.processes, log }));
  await heart.start();
  const journal: IntentJournal = await openIntentJournal({
    ...{
      database,
      api,
      deadlines,
      clock,
      isSoleProcess,
      heart,
      log,
      kinds: [addNote],
      openCallers: findOpen,
      landing: 0,
    },
    // People are told and cards are rendered beside the journal's work, at the rate that Slack allows.
    cards: { refresh: () => {} } as Partial<Cards> as Cards,
    receipts: () => ({ tell: async () => {} }) as Partial<LateReceipts> as LateReceipts,
    deps: () => deps as unknown as Deps,
    onRetry: () => {},
    onTick: () => Promise.resolve(),
  });
  stack.defer(() => journal.stop(0));
  const all = stack.move();
  return { journal, state, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/** A note of the backlog. */
export function toNote(incident: number, index: number): Note {
  const text = `Rolled back to release ${index}, and errors are falling again in all regions`;
  return {
    incidentID: String(incident),
    text,
    eventTime: new Date().toISOString(),
    saidBy: '',
    addedBy: 'ada',
    addedByUser: 'U1',
    permalink: '',
    source: 'note',
  };
}

/** Queues the backlog, of so many incidents, while the API is away: the first note of each incident is tried in vain, the others wait behind it. */
export async function fillBacklog({ journal, state }: Desk, round: number, many = incidents): Promise<void> {
  state.isAway = true;
  const each = Array.from({ length: many }, (_, index) => index + 1);
  const where = { teamId: 'T1', userId: 'U1', channelId: 'C1', threadTs: '' };
  await Promise.all(
    each.map(async incident => {
      for (let index = 0; index < backlog / incidents; index += 1) {
        const key = `${round}/${incident}/${index}`;
        const payload = toNote(incident, index);
        const told = { owner: 'T1/U1', origin: { people: {}, ...where }, caller: `delivery/${key}` };
        const outcome = await journal.submit(addNote, {
          ...{ key, renews: false, payload, subject: payload.incidentID },
          ...told,
        });
        if (outcome.state !== 'queued') throw new Error(`A note is ${outcome.state} while the API is away.`);
      }
    }),
  );
  await journal.idle();
}

/** The API is back. Resolves when every note is written and every outcome told. */
export async function drain({ journal }: Desk): Promise<void> {
  const isLeft = async () => (await journal.countByState()).some(each => each.state !== 'done');
  do {
    await journal.wake();
    await journal.idle();
    // An attempt that was under way when the API came back waits for its next turn.
  } while (await isLeft());
}
