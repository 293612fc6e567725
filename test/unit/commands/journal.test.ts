import { expect, onTestFinished, test } from 'vitest';
import type { BotTables } from '../../../src/bot/schema/tables.ts';
import { openDatabase } from '../../../src/db/database.ts';
import { makeDatabase } from '../../support/databases/fresh.ts';
import { openOutage } from '../../support/outage-room.ts';
import { openProgram } from '../../support/program.ts';

async function openKept() {
  const fresh = await makeDatabase();
  onTestFinished(() => fresh[Symbol.asyncDispose]());
  const outage = await openOutage({ databaseFile: fresh.url.slice('sqlite:'.length) });
  await outage.type('/incident declare Disk is full --now');
  await outage.goAway();
  await outage.type('/note add Rolled back --incident 1');
  await outage.type('/note add Still red --incident 1');
  /** Runs `muster journal`, and resolves to what it printed and noted. */
  const journal = async (...words: readonly string[]) => {
    const { said, run } = openProgram();
    await run('journal', ...words, '--database', fresh.url);
    return said;
  };
  return { outage, database: fresh.url, journal };
}

test('operators list what waits, look at it, have it tried, and give it up', async () => {
  const { outage, journal } = await openKept();
  const list = await journal('list');
  // The oldest, which holds up the others, is the first, also of a list that is cut.
  expect((await journal('list', '--limit', '1')).printed).toContain('Rolled back');
  expect(list.printed).toMatch(/pending +1 .*add “Still red” to the timeline of incident 1/);
  expect(list.printed).toMatch(/pending +1 .*add “Rolled back” to the timeline of incident 1 +unavailable: /);
  const [, first = '', second = ''] = list.printed.split('\n').map(line => line.split(' ')[0] ?? '');

  const { printed } = await journal('show', first);
  expect(printed).toContain('Rolled back');
  expect(printed).toMatch(/may have happened +yes/);

  await journal('discard', second);
  await expect(journal('discard', second)).rejects.toThrow('neither pending nor failed, or it is not');
  await expect(journal('show', 'nobody')).rejects.toThrow('There is no intent nobody');

  // The first answer of the API would have it tried too.
  await outage.place.quiet();
  // The intent may be running just now, and is not made due then.
  await expect.poll(async () => (await journal('retry', '--all')).noted).toContain('1 intent is due now');
  outage.grafana.heal();
  await outage.reachable();
  await expect.poll(async () => JSON.stringify(await outage.timeline())).toContain('Rolled back');
  expect(JSON.stringify(await outage.timeline())).not.toContain('Still red');
});

test('an intent that no live process runs is given up by force, and one of a live process is not', async () => {
  const { outage, database, journal } = await openKept();
  const list = await journal('list');
  const [, first = ''] = list.printed.split('\n').map(line => line.split(' ')[0] ?? '');
  await expect(journal('discard', first, '--force')).rejects.toThrow('Another Muster is running');
  await outage.place[Symbol.asyncDispose]();
  await using opened = await openDatabase(database);
  const rows = opened
    .as<BotTables>()
    .updateTable('bot_intent')
    .set({ state: 'running', lease_owner: 'a dead process' });
  await rows.where('id', '=', first).execute();
  await expect(journal('discard', first)).rejects.toThrow('With --force');
  expect((await journal('discard', first, '--force')).noted).toContain('Discarded: add “Rolled back”');
});

test('operators who discard what may have happened read that', async () => {
  const { journal } = await openKept();
  const list = await journal('list');
  const [, first = '', second = ''] = list.printed.split('\n').map(line => line.split(' ')[0] ?? '');
  const untried = await journal('discard', second);
  expect(untried.noted).toMatch(/^Discarded: add “Still red” to the timeline of incident 1\.$/m);
  const tried = await journal('discard', first);
  expect(tried.noted).toContain(
    'Discarded: add “Rolled back” to the timeline of incident 1. It may have happened already: the answer to an earlier attempt was lost.\n',
  );
});

test('operators delete the words of an incident, and of a person with their drafts', async () => {
  const { outage, database, journal } = await openKept();
  await outage.type('/note half a thought');
  const waiting = await journal('purge', '--incident', '1');
  expect(waiting.noted).toContain(
    'Deleted: 3 intents.\nKept: 2 intents that did not end. muster journal list shows them.\n',
  );

  outage.grafana.heal();
  await outage.reachable();
  await expect.poll(async () => JSON.stringify(await outage.timeline())).toContain('Still red');
  await outage.place.quiet();
  await using opened = await openDatabase(database);
  const db = opened.as<BotTables>();
  const [one] = await db.selectFrom('bot_intent').selectAll().where('state', '=', 'done').execute();
  for (let copy = 0; one && copy < 1200; copy += 1) {
    await db
      .insertInto('bot_intent')
      .values({ ...one, id: `copy ${copy}`, key: `copy ${copy}` })
      .execute();
  }
  const person = await journal('purge', '--person', outage.alice.id);
  expect(person.noted).toContain('Deleted: 1202 intents and 3 drafts.\n');
  const rest = await journal('list', '--state', 'done');
  expect(rest.noted).toContain('The journal has no such intents.\n');
  expect(await db.selectFrom('bot_draft').selectAll().execute()).toEqual([]);
});

test('what cannot be is refused with a sentence', async () => {
  const { journal } = await openKept();
  await expect(journal('list', '--state', 'lost')).rejects.toThrow(
    'The state must be one of pending, running, done, failed, discarded.',
  );
  await expect(journal('list', '--limit', '0')).rejects.toThrow('whole number');
  await expect(journal('retry')).rejects.toThrow('Name one id, or --all.');
  await expect(journal('purge')).rejects.toThrow('Name one incident, or one person.');
  await expect(journal('retry', 'nobody')).rejects.toThrow('not in this journal');
});

test('a list that is cut says how many there are, and how to see all', async () => {
  const { journal } = await openKept();
  expect((await journal('list', '--limit', '1')).noted).toContain('These are 1 of 2: --limit 2 shows all.');
  expect((await journal('list', '--limit', '2')).noted).not.toContain('--limit');
});
