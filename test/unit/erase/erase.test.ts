import { expect, test } from 'vitest';
import { botMigrations } from '../../../src/bot/schema/migrations.ts';
import type { BotTables } from '../../../src/bot/schema/tables.ts';
import type { KnownPerson } from '../../../src/contract/define.ts';
import { migrate } from '../../../src/db/migrate.ts';
import { erase } from '../../../src/erase/erase.ts';
import { findPerson } from '../../../src/erase/identity.ts';
import { openProgram } from '../../support/program.ts';
import { call, type OpenedService, openService } from '../../support/service.ts';

const alice: KnownPerson = {
  userID: 'slack:U0ALICE',
  name: 'alice',
  photoURL: 'https://img.example.com/u0alice.png',
  email: 'alice@example.com',
  slackUserID: 'U0ALICE',
  slackTeamID: 'T1',
};
const bob: KnownPerson = {
  ...alice,
  userID: 'slack:U0BOB',
  name: 'bob',
  photoURL: '',
  email: '',
  slackUserID: 'U0BOB',
};

/** A service with an incident in which alice and bob have done all sorts of things. */
async function openLife() {
  const service = await openService();
  const by = (actor: KnownPerson, ...others: readonly KnownPerson[]) => ({ people: { actor, others } });
  await migrate(service.database, 'bot', botMigrations, service.now);
  await call(service, 'IncidentsService.CreateIncident', { title: 'Checkout is slow' }, by(alice));
  const incidentID = '1';
  const note = (body: string, fieldValues = {}) =>
    call(service, 'ActivityService.AddActivity', { incidentID, activityKind: 'userNote', body, fieldValues }, by(bob));
  await note('We restart.\n\n— alice in Slack: https://x.slack.com/archives/C1/p1', {
    addedBy: 'alice',
    addedByUser: 'U0ALICE',
  });
  await note('The word alice is a word.');
  const assigned = { incidentID, userID: alice.userID, role: 'commander' };
  await call(service, 'IncidentsService.AssignRole', assigned, by(bob, alice));
  await call(service, 'TasksService.AddTask', { incidentID, text: 'ask @alice' }, by(alice));
  await service.database
    .as<BotTables>()
    .insertInto('bot_person')
    .values({
      ...{ team_id: 'T1', user_id: 'U0ALICE', home_team_id: 'T1', name: 'Alice Liddell', time_zone: 'UTC' },
      ...{ is_guest: 0, is_admin: 0, is_bot: 0, is_deleted: 0, is_stranger: 0, updated: 0, seen_at: 0 },
    })
    .execute();
  return service;
}

/** The tables in which one of these still stands. */
async function tablesWith({ database }: OpenedService, ...needles: readonly string[]): Promise<readonly string[]> {
  const db = database.as<Record<string, Record<string, unknown>>>();
  const found: string[] = [];
  for (const { name } of await db.introspection.getTables()) {
    const rows = JSON.stringify(await db.selectFrom(name).selectAll().execute());
    if (needles.some(needle => rows.includes(needle))) found.push(name);
  }
  return found;
}

async function eraseAs(service: OpenedService, wanted: string, isDryRun = false) {
  const found = await findPerson(service.database, wanted);
  if (found.kind !== 'one') throw new Error(found.kind);
  return await erase(service.database, found.identity, { ...found, now: service.now, isDryRun });
}

const traces = ['U0ALICE', 'alice@example.com', 'u0alice.png', 'Alice Liddell', '— alice', '@alice', 'by alice'];

test('nothing of a person is left but a word that somebody wrote, and the incident reads as before', async () => {
  await using service = await openLife();
  expect(await tablesWith(service, ...traces)).toEqual([
    'activity',
    'assignment',
    'bot_person',
    'incident',
    'person',
    'task',
  ]);
  const { successor, left } = await eraseAs(service, 'Alice@example.com');
  expect(await tablesWith(service, ...traces)).toEqual([]);
  expect([...left]).toEqual([['activity', new Set(['1'])]]);

  const { incident } = await call(service, 'IncidentsService.GetIncident', { incidentID: '1' });
  expect(incident.createdByUser).toMatchObject({ userID: successor.userIDs[0], name: successor.name, photoURL: '' });
  const [assignment] = incident.incidentMembership.assignments;
  expect([assignment?.user.name, assignment?.role.name]).toEqual([successor.name, 'commander']);
  expect(incident.taskList.tasks.map(each => each.text)).toEqual([`ask ${successor.name}`]);
  const { activityItems } = await call(service, 'ActivityService.QueryActivity', { query: { incidentID: '1' } });
  const bodies = activityItems.map(each => each.body);
  expect(bodies).toContain(`We restart.\n\n— ${successor.name} in Slack: https://x.slack.com/archives/C1/p1`);
  expect(bodies).toContain('The word alice is a word.');
  expect(bodies).toContain(`The incident was created by ${successor.name}`);
  expect(activityItems.map(each => each.user.name)).toContain('bob');
});

test('a dry run counts the same, and changes nothing', async () => {
  await using service = await openLife();
  const dry = await eraseAs(service, 'U0ALICE', true);
  expect(await tablesWith(service, 'U0ALICE')).toContain('person');
  const wet = await eraseAs(service, 'T1/U0ALICE');
  expect(Object.fromEntries(dry.changed)).toEqual(Object.fromEntries(wet.changed));
  expect(Object.fromEntries(dry.deleted)).toEqual(Object.fromEntries(wet.deleted));
  expect(Object.fromEntries(wet.deleted)).toEqual({ bot_person: 1, person: 1 });
});

test('answers that were read before say the successor’s name at once', async () => {
  await using service = await openLife();
  const read = async () =>
    (await call(service, 'IncidentsService.GetIncident', { incidentID: '1' })).incident.createdByUser.name;
  expect(await read()).toBe('alice');
  const { successor } = await eraseAs(service, 'alice');
  expect(await read()).toBe(successor.name);
});

test('two people of one name are told apart, and the other one’s notes stay', async () => {
  await using service = await openLife();
  const other = { ...alice, userID: 'slack:U0OTHER', email: '', photoURL: '', slackUserID: 'U0OTHER' };
  const theirs = {
    incidentID: '1',
    activityKind: 'userNote',
    body: 'No.\n\n— alice in Slack',
    fieldValues: { addedByUser: 'U0OTHER' },
  };
  await call(service, 'ActivityService.AddActivity', theirs, { people: { actor: other, others: [] } });
  const words = ['erase', '--database', service.url, '--person', 'alice'];
  await expect(openProgram().run(...words)).rejects.toThrow(
    'Several people are stored by that name. Name one of them by an id:\n  Alice Liddell, alice, alice@example.com, U0ALICE',
  );
  expect(await tablesWith(service, 'U0ALICE')).toContain('person');
  const { successor } = await eraseAs(service, 'U0ALICE');
  const { activityItems } = await call(service, 'ActivityService.QueryActivity', { query: { incidentID: '1' } });
  const bodies = activityItems.map(each => each.body);
  expect(bodies).toContain('No.\n\n— alice in Slack');
  expect(bodies).toContain(`We restart.\n\n— ${successor.name} in Slack: https://x.slack.com/archives/C1/p1`);
  expect(await tablesWith(service, 'U0ALICE')).toEqual([]);
});

test('what others wrote of the same word stays, also where Muster repeats it', async () => {
  await using service = await openLife();
  const title = 'The host alice is slow';
  await call(
    service,
    'IncidentsService.UpdateTitle',
    { incidentID: '1', title },
    { people: { actor: bob, others: [] } },
  );
  await eraseAs(service, 'U0ALICE');
  const { activityItems } = await call(service, 'ActivityService.QueryActivity', { query: { incidentID: '1' } });
  expect(activityItems.find(each => each.activityKind === 'incidentTitleChanged')?.body).toContain(title);
});

test('a person whose id is a plain word is erased where an id stands, and by name where Muster speaks of them', async () => {
  await using service = await openLife();
  const carol: KnownPerson = { userID: 'carol', name: 'Carol' };
  const by = { people: { actor: carol, others: [] } };
  await call(service, 'IncidentsService.CreateIncident', { title: 'A christmas carol' }, by);
  const { successor } = await eraseAs(service, 'carol');
  const { incident } = await call(service, 'IncidentsService.GetIncident', { incidentID: '2' });
  expect([incident.title, incident.createdByUser.userID]).toEqual(['A christmas carol', successor.userIDs[0]]);
  const { activityItems } = await call(service, 'ActivityService.QueryActivity', { query: { incidentID: '2' } });
  expect(activityItems.map(each => each.body)).toContain(`The incident was created by ${successor.name}`);
});

test('work of theirs that has not ended is not taken from under them', async () => {
  await using service = await openLife();
  const moment = service.now.toISOString();
  await service.database
    .as<BotTables>()
    .insertInto('bot_intent')
    .values({
      ...{ key: 'k', id: 'i', kind: 'note', payload: '{}', subject: '1', lane: '1', seq: 1, owner: 'T1/U0ALICE' },
      ...{
        origin: '{}',
        caller: '',
        attachment: '',
        state: 'pending',
        attempts: 0,
        ambiguous: 0,
        hangs: 0,
        next_at: 0,
      },
      ...{ lease_owner: '', heartbeat: 0, tell: 'nobody', outcome: '', created_at: moment, changed_at: moment },
    })
    .execute();
  const words = ['erase', '--database', service.url, '--person', 'U0ALICE'];
  await expect(openProgram().run(...words)).rejects.toThrow('1 of their intents have not ended.');
  expect(await tablesWith(service, 'U0ALICE')).toContain('person');
});

test('somebody who is not stored is not found, unless by the Slack id that other rows may hold', async () => {
  await using service = await openLife();
  expect(await findPerson(service.database, 'ali')).toEqual({ kind: 'none' });
  expect(await findPerson(service.database, 'U0123456789')).toMatchObject({ kind: 'one' });
});
