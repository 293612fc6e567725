import { expect, onTestFinished, test } from 'vitest';
import type { BotTables } from '../../../src/bot/schema/tables.ts';
import {
  discardIntentCommand,
  listIntentsCommand,
  purgeIntentsCommand,
  retryIntentsCommand,
  showIntentCommand,
} from '../../../src/commands/journal-actions.ts';
import { openDatabase } from '../../../src/db/database.ts';
import { makeDatabase } from '../../support/databases/fresh.ts';
import { openOutage } from '../../support/outage-room.ts';
import { openTerminal } from '../../support/terminal.ts';

async function openKept() {
  const fresh = await makeDatabase();
  onTestFinished(() => fresh[Symbol.asyncDispose]());
  const outage = await openOutage({ databaseFile: fresh.url.slice('sqlite:'.length) });
  await outage.type('/incident declare Disk is full --now');
  await outage.goAway();
  await outage.type('/note add Rolled back --incident 1');
  await outage.type('/note add Still red --incident 1');
  return { outage, database: fresh.url };
}

test('operators list what waits, look at it, have it tried, and give it up', async () => {
  const { outage, database } = await openKept();
  const list = openTerminal();
  await listIntentsCommand(list, { database, limit: '50' });
  // The oldest, which holds up the others, is the first, also of a list that is cut.
  const one = openTerminal();
  await listIntentsCommand(one, { database, limit: '1' });
  expect(one.said.out).toContain('Rolled back');
  expect(list.said.out).toMatch(/pending +1 .*add “Still red” to the timeline of incident 1/);
  expect(list.said.out).toMatch(/pending +1 .*add “Rolled back” to the timeline of incident 1 +unavailable: /);
  const [, first = '', second = ''] = list.said.out.split('\n').map(line => line.split(' ')[0] ?? '');

  const show = openTerminal();
  await showIntentCommand(show, first, { database });
  expect(show.said.out).toContain('Rolled back');
  expect(show.said.out).toMatch(/may have happened +yes/);

  await discardIntentCommand(openTerminal(), second, { database });
  await expect(discardIntentCommand(openTerminal(), second, { database })).rejects.toThrow(
    'neither pending nor failed, or it is not',
  );
  await expect(showIntentCommand(openTerminal(), 'nobody', { database })).rejects.toThrow('There is no intent nobody');

  // The first answer of the API would have it tried too.
  await outage.place.quiet();
  const retryAll = async () => {
    const retry = openTerminal();
    await retryIntentsCommand(retry, undefined, { database, all: true });
    return retry.said.note;
  };
  // The intent may be running just now, and is not made due then.
  await expect.poll(retryAll).toContain('1 intent is due now');
  outage.grafana.heal();
  await outage.reachable();
  await expect.poll(async () => JSON.stringify(await outage.timeline())).toContain('Rolled back');
  expect(JSON.stringify(await outage.timeline())).not.toContain('Still red');
});

test('operators who discard what may have happened read that', async () => {
  const { database } = await openKept();
  const list = openTerminal();
  await listIntentsCommand(list, { database, limit: '50' });
  const [, first = '', second = ''] = list.said.out.split('\n').map(line => line.split(' ')[0] ?? '');
  const [tried, untried] = [openTerminal(), openTerminal()];
  await discardIntentCommand(untried, second, { database });
  expect(untried.said.note).toMatch(/^Discarded: add “Still red” to the timeline of incident 1\.$/m);
  await discardIntentCommand(tried, first, { database });
  expect(tried.said.note).toContain(
    'Discarded: add “Rolled back” to the timeline of incident 1. It may have happened already: the answer to an earlier attempt was lost.\n',
  );
});

test('operators delete the words of an incident, and of a person with their drafts', async () => {
  const { outage, database } = await openKept();
  await outage.type('/note half a thought');
  const waiting = openTerminal();
  await purgeIntentsCommand(waiting, { database, incident: '1' });
  expect(waiting.said.note).toContain(
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
  const person = openTerminal();
  await purgeIntentsCommand(person, { database, person: outage.alice.id });
  expect(person.said.note).toContain('Deleted: 1202 intents and 3 drafts.\n');
  const rest = openTerminal();
  await listIntentsCommand(rest, { database, limit: '50', state: 'done' });
  expect(rest.said.note).toContain('The journal has no such intents.\n');
  expect(await db.selectFrom('bot_draft').selectAll().execute()).toEqual([]);
});

test('what cannot be is refused with a sentence', async () => {
  const { database } = await openKept();
  const terminal = openTerminal();
  await expect(listIntentsCommand(terminal, { database, limit: '50', state: 'lost' })).rejects.toThrow(
    'The state must be one of pending, running, done, failed, discarded.',
  );
  await expect(listIntentsCommand(terminal, { database, limit: '0' })).rejects.toThrow('whole number');
  await expect(retryIntentsCommand(terminal, undefined, { database })).rejects.toThrow('Name one id, or --all.');
  await expect(purgeIntentsCommand(terminal, { database })).rejects.toThrow('Name one incident, or one person.');
  await expect(retryIntentsCommand(terminal, 'nobody', { database })).rejects.toThrow('not in this journal');
});

test('a list that is cut says how many there are, and how to see all', async () => {
  const { database } = await openKept();
  const cut = openTerminal();
  await listIntentsCommand(cut, { database, limit: '1' });
  expect(cut.said.note).toContain('These are 1 of 2: --limit 2 shows all.');
  const whole = openTerminal();
  await listIntentsCommand(whole, { database, limit: '2' });
  expect(whole.said.note).not.toContain('--limit');
});
