import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { BotTables } from '../../../src/bot/schema/tables.ts';
import { openDatabase } from '../../../src/db/database.ts';
import { makeDatabase } from '../../support/databases/fresh.ts';
import { type GrafanaFault, openFakeGrafana } from '../../support/fake-grafana.ts';
import { openFolder } from '../../support/folder.ts';
import { holdNext } from '../../support/held-call.ts';
import { deadlinesFor, openOutage } from '../../support/outage-room.ts';
import { phrases } from '../../support/phrases.ts';
import { openInstalledSlack, openWorkplace } from '../../support/workplace.ts';

const home = 'inc-1-disk-is-full';

/** Ways in which the answer to a write that took effect is lost. */
const losses: readonly (readonly [what: string, answer: GrafanaFault['answer']])[] = [
  ['the connection breaks', 'hang up'],
  ['half of it comes', 'half a body'],
  ['nothing comes', 'stall'],
  ['a gateway speaks', { status: 502, body: '<html>bad gateway</html>', headers: { 'content-type': 'text/html' } }],
  ['500 comes', { status: 500, body: '{"error":"kaput"}' }],
];

test.each(losses)(
  'the answer to a declaration is lost (%s): there is one incident, with one channel and one card',
  async (_what, answer) => {
    const { place, slack, alice, grafana, comeBack, type, titles, states, room } = await openOutage({
      deadlines: deadlinesFor(answer),
    });
    grafana.fail({ when: /CreateIncident/, answer, afterEffect: true, times: 1, thenAway: true });
    expect(await type('/incident declare Disk is full --now')).toContain(
      'Saved. I’ll declare “Disk is full” as soon as',
    );
    await comeBack();
    expect(await titles()).toEqual(['Disk is full']);
    expect(grafana.requests.filter(each => each.includes('CreateIncident'))).toHaveLength(1);
    expect(await states()).toEqual({ done: 4 });
    expect(slack.channels.filter(each => each.name.startsWith('inc-'))).toHaveLength(1);
    expect(place.reads(alice, room().id)[0]).toContain('Incident 1 · declared');
    expect(place.reads(alice, 'general').filter(each => each.includes('You declared incident 1'))).toHaveLength(1);
  },
);

test.each(losses)(
  'the answers to a note, a task and a message are lost (%s): each is there once and told once',
  async (_what, answer) => {
    const { place, alice, bob, grafana, comeBack, type, timeline, incident, states, act } = await openOutage({
      deadlines: deadlinesFor(answer),
    });
    await type('/incident declare Disk is full --now');
    bob.join(home);
    grafana.fail({ when: /AddActivity|AddTask/, answer, afterEffect: true, times: 1, thenAway: true });
    expect(await type('/note add Rolled back', alice, home)).toContain('Saved. I’ll add “Rolled back”');
    await comeBack();
    grafana.fail({ when: /AddTask/, answer, afterEffect: true, times: 1, thenAway: true });
    expect(await type('/task add call the vendor', alice, home)).toContain('Saved. I’ll add the task');
    await comeBack();
    const message = bob.say(home, 'the graph goes down');
    grafana.fail({ when: /AddActivity/, answer, afterEffect: true, times: 1, thenAway: true });
    await act(() => alice.shortcut('add_timeline', message));
    expect(place.lastRead(alice, home)).toContain('Saved. I’ll add “the graph goes down”');
    await comeBack();

    expect((await timeline()).filter(item => item.activityKind === 'userNote').map(note => note.body)).toEqual([
      'Rolled back\n\n— alice in Slack',
      `the graph goes down\n\n— said by bob in Slack, added by alice: ${message.permalink}`,
    ]);
    expect((await incident()).taskList.tasks.map(task => task.text)).toEqual(['call the vendor']);
    expect(await states()).toEqual({ done: 6 });
    const told = place.reads(alice, home).filter(each => each.includes('What you asked for earlier is done'));
    expect(told).toHaveLength(3);
    expect(message.reactions).toHaveLength(1);
  },
);

test.each(losses)(
  'the answer to the summary of a resolution is lost (%s): it is there once, and the incident is resolved once',
  async (_what, answer) => {
    const { place, alice, grafana, comeBack, type, timeline, incident } = await openOutage({
      deadlines: deadlinesFor(answer),
    });
    await type('/incident declare Disk is full --now');
    grafana.fail({ when: /AddActivity/, answer, afterEffect: true, times: 1 });
    await type('/incident resolve Cleaned up --now', alice, home);
    await comeBack();
    expect((await incident()).status).toBe('resolved');
    const items = await timeline();
    expect(items.filter(item => item.activityKind === 'userNote').map(note => note.body)).toEqual([
      'Cleaned up\n\n— alice in Slack',
    ]);
    expect(items.filter(item => item.activityKind === 'incidentStatusChanged')).toHaveLength(1);
    const all = place.reads(alice, home).join('\n');
    expect(all.match(/Resolved after/g)).toHaveLength(1);
    // What is found at once is in the room's headline, and what is found later is told apart.
    expect(all.match(/The summary is on the timeline\.|> Cleaned up|Cleaned up$/gm)?.length).toBeGreaterThanOrEqual(1);
    expect((all.match(/The summary is on the timeline\./g) ?? []).length).toBeLessThanOrEqual(1);
  },
);

test('a declaration whose answer was lost finds its own incident, not another of that title', async () => {
  const { place, alice, grafana, comeBack, type, incident, titles } = await openOutage();
  const all = () => place.reads(alice, 'general').join('\n');
  grafana.fail({ when: /CreateIncident/, answer: 'hang up', afterEffect: true, times: 1 });
  await type('/incident declare Disk is full --severity major --now');
  await type('/incident declare Disk is full --severity critical --now');
  expect(all()).toContain('You declared incident 2');
  await comeBack();
  expect(await titles()).toEqual(['Disk is full', 'Disk is full']);
  expect(all()).toContain('You declared incident 1: “Disk is full”, severity major.');
  expect((await incident('1')).severity).toBe('major');
});

test('two incidents of one title, both with lost answers, stay two', async () => {
  const { grafana, comeBack, type, titles, states, slack } = await openOutage();
  grafana.fail({ when: /CreateIncident/, answer: 'hang up', afterEffect: true, times: 2 });
  await type('/incident declare Disk is full --now');
  await type('/incident declare Disk is full --now');
  await comeBack();
  expect(await titles()).toEqual(['Disk is full', 'Disk is full']);
  expect(await states()).toEqual({ done: 8 });
  expect(slack.channels.filter(each => each.name.startsWith('inc-')).map(each => each.name)).toEqual([
    'inc-disk-is-full',
    'inc-disk-is-full-2',
  ]);
});

test('a message that was added before the incident was registered is not added again afterwards', async () => {
  const { place, alice, bob, goAway, comeBack, type, room, timeline, act } = await openOutage();
  goAway();
  await type('/incident declare Disk is full --now');
  bob.join(room().name);
  const message = bob.say(room(), 'the graph goes down');
  await act(() => alice.shortcut('add_timeline', message));
  await comeBack();
  await act(() => bob.shortcut('add_timeline', message));
  expect(place.lastRead(bob, room().name)).toContain('already added a message to the timeline of incident 1');
  expect((await timeline()).filter(item => item.activityKind === 'userNote')).toHaveLength(1);
});

test('a form that is sent twice while the API is down is kept once, and says so', async () => {
  const { place, slack, alice, goAway, comeBack, type, titles, states, act } = await openOutage();
  await type('/incident declare Disk is full');
  goAway();
  await act(() => alice.submitTwice({ severity: 'major' }));
  await act(() => alice.resubmit());
  const kept = place.reads(alice, 'general').filter(each => each.includes('⏳'));
  expect(kept.filter(each => each.includes('Saved. I’ll declare “Disk is full” as soon as'))).toHaveLength(1);
  expect(kept.filter(each => each.includes('Saved already. I’ll declare “Disk is full” as soon as'))).toHaveLength(2);
  expect(await states()).toEqual({ pending: 1, done: 2 });
  await comeBack();
  expect(await titles()).toEqual(['Disk is full']);
  expect(slack.channels.filter(each => each.name.startsWith('inc-'))).toHaveLength(1);
  expect(place.reads(alice, 'general').filter(each => each.includes('You declared incident 1'))).toHaveLength(1);
});

test('a message that is added twice while the API is down, by two people, is kept once, and says so', async () => {
  const { place, alice, bob, goAway, comeBack, type, timeline, states, act } = await openOutage();
  await type('/incident declare Disk is full --now');
  bob.join(home);
  const message = bob.say(home, 'the graph goes down');
  goAway();
  await act(() => alice.shortcut('add_timeline', message));
  await act(() => bob.shortcut('add_timeline', message));
  await act(() => alice.shortcut('add_timeline', message));
  for (const person of [alice, bob]) {
    expect(place.lastRead(person, home)).toContain(
      'Saved already. I’ll add “the graph goes down” to the timeline of incident 1 as soon as',
    );
  }
  expect(await states()).toEqual({ pending: 1, done: 3 });
  await comeBack();
  expect((await timeline()).filter(item => item.activityKind === 'userNote')).toHaveLength(1);
  expect(place.reads(alice, home).filter(each => each.includes('What you asked for earlier is done'))).toHaveLength(1);
});

test('a restart in the middle: another Muster on the same database does all that was kept, and tells it once', async () => {
  const folder = await openFolder();
  const slack = await openInstalledSlack();
  const grafana = await openFakeGrafana();
  const options = {
    slack,
    settings: grafana.settings,
    databaseFile: join(folder, 'muster.db'),
  };
  const before = await openWorkplace(options);
  const alice = slack.addPerson({ name: 'alice' });
  const bob = slack.addPerson({ name: 'bob' });
  const general = slack.addChannel({ name: 'general', members: [alice, bob], botIsMember: true });
  grafana.fail({ when: /./, answer: 'hang up' });
  await alice.command(general, '/incident declare Checkout answers 500 --severity major --now');
  await before.quiet();
  const room = slack.channels.findLast(each => each.name.startsWith('inc-'));
  if (!room) throw new Error('No channel was made');
  bob.join(room.id);
  await alice.command(room, '/note add Rolled back to v41');
  await bob.command(room, '/task add call the vendor');
  await before.quiet();
  await before[Symbol.asyncDispose]();

  grafana.heal();
  const after = await openWorkplace(options);
  await after.muster.bot.journal.wake();
  await after.quiet();
  const { incident } = await after.api.IncidentsService.GetIncident({ incidentID: '1' });
  expect(incident).toMatchObject({ title: 'Checkout answers 500', severity: 'major' });
  expect(incident.taskList.tasks.map(task => task.text)).toEqual(['call the vendor']);
  const query = { incidentID: '1', activityKind: ['userNote' as const] };
  const { activityItems } = await after.api.ActivityService.QueryActivity({ query });
  expect(activityItems.map(item => item.body)).toEqual(['Rolled back to v41\n\n— alice in Slack']);
  expect(await after.muster.bot.journal.countByState()).toMatchObject([{ state: 'done', count: 6 }]);

  expect(after.lastRead(alice, 'general')).toContain(
    'You declared incident 1: “Checkout answers 500”, severity major.',
  );
  const card = after.reads(alice, room.id)[0];
  expect(card).toContain('Active since');
  expect(card).toContain('1 open, 0 done');
  const told = (person: typeof alice, words: string) =>
    after.reads(person, room.id).filter(each => each.includes(words));
  expect(told(alice, `${phrases.added}: “Rolled back to v41”`)).toHaveLength(1);
  expect(told(bob, 'You added task 1: “call the vendor”')).toHaveLength(1);
  expect(told(bob, 'This is incident 1 now')).toHaveLength(1);
  expect(slack.channels.filter(each => each.name.startsWith('inc-'))).toHaveLength(1);
});

/** An outage in which the test reads the database itself. */
async function openBeside(options: Parameters<typeof openOutage>[0] = {}) {
  const fresh = await makeDatabase();
  onTestFinished(() => fresh[Symbol.asyncDispose]());
  const database = await openDatabase(fresh.url);
  onTestFinished(() => database[Symbol.asyncDispose]());
  return { ...(await openOutage({ ...options, settings: { DATABASE_URL: fresh.url } })), database };
}

test('two resolve it while the API is away, and nobody knows how far a crash let either: one did, and one line says so', async () => {
  const { place, database, alice, bob, goAway, comeBack, type, timeline } = await openBeside();
  await type('/incident declare Disk is full --now');
  bob.join(home);
  goAway();
  await type('/incident resolve --now', alice, home);
  await type('/incident resolve --now', bob, home);
  await database
    .as<BotTables>()
    .updateTable('bot_intent')
    .set({ ambiguous: 1 })
    .where('state', '=', 'pending')
    .execute();
  await comeBack();
  expect((await timeline()).filter(item => item.activityKind === 'incidentStatusChanged')).toHaveLength(1);
  expect(place.reads(alice, home).filter(each => each.includes('Resolved after'))).toHaveLength(1);
  expect(place.reads(alice, home).filter(each => each.includes('– @bob'))).toHaveLength(0);
  expect(place.lastRead(bob, home)).toContain('Incident 1 is resolved already');
});

/** Takes the table of rooms away and puts it back, so that what is done in between cannot be put into words. */
async function openBroken() {
  const story = await openBeside({ expectErrors: record => JSON.stringify(record).includes('bot_room') });
  const rename = (from: string, to: string) =>
    story.database.as<BotTables>().schema.alterTable(from).renameTo(to).execute();
  return {
    ...story,
    breakRooms: () => rename('bot_room', 'elsewhere'),
    mendRooms: async () => {
      await story.place.muster.bot.journal.idle();
      await rename('elsewhere', 'bot_room');
      await story.place.muster.bot.journal.wake();
      await story.place.quiet();
    },
  };
}

test.each([
  ['at once', false],
  ['when it is tried again', true],
])('what is done %s and cannot be put into words is told once it can be', async (_when, isAgain) => {
  const { place, slack, alice, grafana, breakRooms, mendRooms, type, titles } = await openBroken();
  const refusal = { status: 403, body: '{"error":"not with that token"}' };
  if (isAgain) grafana.fail({ when: /CreateIncident/, answer: refusal, times: 1 });
  const card = holdNext(slack, 'chat.postMessage');
  if (isAgain) expect(await type('/incident declare Disk is full --now')).toContain('I could not declare');
  const refused = place.messages(alice, 'general').at(-1);
  if (refused) await alice.press(refused, 'Try again');
  else await alice.command('general', '/incident declare Disk is full --now');
  await card.begun;
  await breakRooms();
  card.go();
  await expect.poll(() => place.reads(alice, 'general').join()).toContain('Something broke inside Muster');
  await mendRooms();
  const told = () => place.reads(alice, 'general').filter(each => each.includes('You declared incident 1'));
  await expect.poll(told).toHaveLength(1);
  await place.quiet();
  expect(told()).toHaveLength(1);
  expect(await titles()).toEqual(['Disk is full']);
});

test('what a process did that is gone is told by whom it was asked of again, also when the database is away just then', async () => {
  const { place, database, bob, type, states, act } = await openBroken();
  await type('/incident declare Disk is full --now');
  bob.join(home);
  const message = bob.say(home, 'the graph goes down');
  await act(() => bob.shortcut('add_timeline', message));
  // As a process leaves it that dies right after it has stored what it is to try.
  const intents = database.as<BotTables>().updateTable('bot_intent').where('kind', '=', 'timeline.add');
  await intents.set({ state: 'pending', attempts: 0, outcome: '', tell: 'caller', lease_owner: '' }).execute();
  const away = vi.spyOn(place.muster.bot.journal, 'find').mockRejectedValueOnce(new Error('bot_room is away'));
  await act(() => bob.shortcut('add_timeline', message));
  expect(away).toHaveBeenCalledOnce();
  expect(place.reads(bob, home).join()).toContain('Something broke inside Muster');
  await place.muster.bot.journal.wake();
  await place.quiet();
  expect(place.lastRead(bob, home)).toContain('What you asked for earlier is done');
  expect(await states()).toEqual({ done: 4 });
});
