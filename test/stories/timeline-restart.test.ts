import { expect, onTestFinished, test } from 'vitest';
import type { Message, Person } from '../../playground/fake-slack/fake-slack.ts';
import type { BotTables } from '../../src/bot/schema/tables.ts';
import { openDatabase } from '../../src/db/database.ts';
import { makeDatabase } from '../support/databases/fresh.ts';
import { notesOf } from '../support/incident-room.ts';
import { openOutage } from '../support/outage-room.ts';
import { openWorkplace } from '../support/workplace.ts';

/** An incident's room on a database that outlasts the process; `restart` starts another process on it, with the API as it is then. */
async function openRoom() {
  const fresh = await makeDatabase();
  onTestFinished(() => fresh[Symbol.asyncDispose]());
  const settings = { DATABASE_URL: fresh.url };
  const outage = await openOutage({ settings });
  const { slack, alice, bob, grafana } = outage;
  let { place } = outage;
  await outage.type('/incident declare Disk is full --now');
  const room = outage.room();
  bob.join(room);
  const act = async (what: () => unknown) => {
    await what();
    await place.quiet();
  };
  const stop = () => place[Symbol.asyncDispose]();
  const start = async () => {
    place = await openWorkplace({ slack, settings: { ...grafana.settings, ...settings } });
  };
  return {
    ...{ slack, alice, bob, grafana, room, act, stop, start },
    goAway: outage.goAway,
    restart: async () => {
      await stop();
      await start();
    },
    comeBack: async () => {
      grafana.heal();
      await expect
        .poll(async () => {
          await place.muster.bot.journal.wake();
          await place.muster.bot.journal.idle();
          return (await place.muster.bot.journal.countByState()).some(each => /pending|running/.test(each.state));
        })
        .toBe(false);
      await place.quiet();
    },
    add: (person: Person, message: Message) => act(() => person.shortcut('add_timeline', message)),
    reads: (person: Person) => place.lastRead(person, room.name),
    press: (person: Person, button: string) =>
      act(async () => {
        const last = place.messages(person, room.name).at(-1);
        if (last) await person.press(last, button);
      }),
    forget: async () => {
      const { journal } = place.muster.bot;
      while ((await journal.purge(new Date(Date.now() + 31 * 24 * 3_600_000))) > 0);
    },
    /** The words of the notes, oldest first. */
    notes: async () => (await notesOf(place, '1')).map(item => item.body.split('\n')[0]),
    isMarked: (message: Message) => message.reactions.some(each => each.users.includes(slack.botUserId)),
    /** Works on the database while no process has it. */
    inDatabase: async <T>(work: (database: Awaited<ReturnType<typeof openDatabase>>) => Promise<T>): Promise<T> => {
      await using database = await openDatabase(fresh.url);
      return await work(database);
    },
  };
}

test('after a restart a message is not added twice, comes off with its reaction, and may be added again', async () => {
  const { alice, bob, room, act, add, restart, reads, notes, isMarked } = await openRoom();
  const message = bob.say(room, 'it was me');
  await act(() => alice.react(message, 'memo'));
  await restart();
  await add(bob, message);
  expect(reads(bob)).toContain('already added a message to the timeline of incident 1');
  expect(await notes()).toEqual(['it was me']);

  await restart();
  await act(() => alice.unreact(message, 'memo'));
  expect([await notes(), isMarked(message)]).toEqual([[], false]);
  await restart();
  await add(bob, message);
  expect([await notes(), isMarked(message)]).toEqual([['it was me'], true]);
  await restart();
  await add(alice, message);
  expect(reads(alice)).toContain('already added a message to the timeline of incident 1');
  // What somebody asked for in words stays when the reaction goes.
  await act(() => alice.react(message, 'memo'));
  await act(() => alice.unreact(message, 'memo'));
  expect(await notes()).toEqual(['it was me']);
});

test('after a restart a note and a thread follow their messages, and a thread adds nothing twice', async () => {
  const { alice, bob, room, act, add, restart, press, notes } = await openRoom();
  const parent = bob.say(room, 'anybody?');
  const reply = bob.say(room, 'rolled bakc', { threadTs: parent.ts });
  await add(alice, reply);
  await restart();
  await act(() => bob.editMessage(reply, 'rolled back'));
  expect(await notes()).toEqual(['rolled back']);
  await restart();
  await act(() => bob.editMessage(reply, 'rolled back to v41'));
  await add(alice, parent);
  await restart();
  await press(alice, 'Add the whole thread');
  expect(await notes()).toEqual(['anybody?', 'rolled back to v41']);
});

test('a message whose note is taken back while the API is away is added again after a restart', async () => {
  const { alice, bob, room, add, restart, press, goAway, comeBack, reads, notes, isMarked } = await openRoom();
  const message = bob.say(room, 'it was me');
  await add(alice, message);
  goAway();
  await press(alice, 'Undo');
  expect(reads(alice)).toContain('Saved. I’ll remove “it was me”');
  await restart();
  await add(bob, message);
  expect(reads(bob)).toContain('Saved. I’ll add “it was me”');
  await comeBack();
  expect([await notes(), isMarked(message)]).toEqual([['it was me'], true]);
  await add(alice, message);
  expect(await notes()).toEqual(['it was me']);
});

test('a message whose own note failed follows nothing, and its person hears of one failure', async () => {
  const { alice, bob, room, act, grafana, add, reads, notes, slack } = await openRoom();
  const message = bob.say(room, 'it was me');
  grafana.fail({ when: /AddActivity/, times: 1, answer: { status: 403, body: '{"message":"no"}' } });
  await add(alice, message);
  expect(reads(alice)).toContain('I could not add “it was me”');
  const calls = slack.calls.length;
  await act(() => bob.editMessage(message, 'it was not me'));
  expect(slack.calls.slice(calls).filter(each => each.method.startsWith('chat.'))).toEqual([]);
  await add(bob, message);
  expect(await notes()).toEqual(['it was not me']);
});

test('a month after it ended, an addition is forgotten with its message', async () => {
  const { alice, bob, room, add, forget, stop, inDatabase } = await openRoom();
  await add(alice, bob.say(room, 'it was me'));
  const count = () =>
    inDatabase(database => database.as<BotTables>().selectFrom('bot_message_note').selectAll().execute());
  expect(await count()).toMatchObject([{ channel_id: room.id, followed_by: '', removed_by: '' }]);
  await forget();
  await stop();
  expect(await count()).toEqual([]);
});
