import { expect, test } from 'vitest';
import { openFakeGrafana } from '../support/fake-grafana.ts';
import { openIncident } from '../support/incident-room.ts';

/** An incident in a Grafana that has ids of its own for people, and lists nobody. */
async function openResolved(flags = '') {
  const grafana = await openFakeGrafana({ ownIds: true });
  const opened = await openIncident({ settings: grafana.settings, flags });
  return { ...opened, grafana, room: () => opened.place.reads(opened.bob, opened.home.id).join('\n') };
}

test('a role that is given is told as what it is, and no other holder is made up', async () => {
  const { type, room, bob, home, place, alice, incident } = await openResolved();
  const receipt = await type('/role assign @bob commander');
  expect(receipt).not.toContain('too');
  await place.quiet();
  expect(room()).toContain('made @bob commander');
  expect(room()).not.toContain('Outside Slack');
  const [holder] = (await incident()).incidentMembership.assignments;
  expect(holder?.user.userID).toBe(`grafana-incident:user-${bob.id}`);
  expect(place.reads(alice, home.id)[0], 'the card').toMatch(/ommander.*@bob/);
});

test('an assignment whose answer was lost makes up no other holder', async () => {
  const { type, grafana, place, alice, home, room } = await openResolved();
  grafana.fail({ when: /AssignRole/, answer: 'hang up', afterEffect: true, thenAway: true, times: 1 });
  await type('/role assign @bob commander');
  grafana.heal();
  await expect
    .poll(async () => {
      await place.muster.bot.journal.wake();
      await place.quiet();
      return room();
    })
    .toContain('made @bob commander');
  expect(place.reads(alice, home.id).join('\n')).not.toMatch(/commander too|Hand over/);
});

test('who takes command in the declaration is named on the card, and knows of it', async () => {
  const { type, room, alice, home, place } = await openResolved('--commander');
  expect(place.reads(alice, home.id)[0], 'the card').toMatch(/ommander.*@alice/);
  expect(await type('/role list me')).toContain('commander');
  expect(room()).not.toContain('Outside Slack');
});

test('nobody’s name goes to a Grafana in a header', async () => {
  const { type, grafana } = await openResolved();
  await type('/task add fail over @bob');
  expect(grafana.requests.length).toBeGreaterThan(5);
  expect(grafana.named).toEqual([]);
});

test('what is whose is known to the lists of one, and to what they give back', async () => {
  const { type, bob, room, incident } = await openResolved();
  await type('/role assign @bob observer');
  await type('/task add fail over @bob');
  expect(await type('/role list me', bob)).toContain('observer');
  expect(await type('/task list me', bob)).toContain('fail over');
  await type('/role leave observer', bob);
  expect((await incident()).incidentMembership.assignments.filter(each => each.user.userID !== '')).toEqual([]);
  expect(room()).not.toContain('Outside Slack');
});

test('a role that is handed over stays with one person, also to and fro', async () => {
  const { type, alice, bob, incident, room } = await openResolved();
  const holders = async () =>
    (await incident()).incidentMembership.assignments.map(each => each.user.userID).filter(each => each !== '');
  await type('/role assign me commander');
  await type('/role handover @bob commander');
  expect(await holders()).toEqual([`grafana-incident:user-${bob.id}`]);
  await type('/role handover @alice commander', bob);
  expect(await holders()).toEqual([`grafana-incident:user-${alice.id}`]);
  await type('/role handover @alice commander', bob);
  expect(await holders()).toEqual([`grafana-incident:user-${alice.id}`]);
  expect(room()).not.toContain('Outside Slack');
});

test('a query that Grafana refuses as an older one does is answered with its words', async () => {
  const { type, grafana } = await openResolved();
  const body = JSON.stringify({ error: 'unknown property nonsense' });
  grafana.fail({ when: /QueryIncidentPreviews/, answer: { status: 500, body } });
  expect(await type('/incident list nonsense:x')).toContain('unknown property nonsense');
});

test('who declared an incident is known where Grafana names the account of the token', async () => {
  const { type, place, alice, bob, home } = await openResolved();
  expect(place.reads(bob, home.id)[0], 'the card').toContain('by @alice');
  expect(await type('/incident status', bob)).toContain('by @alice');
  expect(await type('/incident list me')).toContain('Checkout answers 500');
  expect(await type('/incident list me', bob)).toContain('You declared no incident');
  await type('/incident resolve --now');
  expect(await type('/incident list me', alice)).toContain('resolved');
  await type('/incident record', bob);
  const [sent] = place.slack.people.flatMap(each =>
    each.id === bob.id ? place.reads(bob, place.slack.openDm(bob).id) : [],
  );
  expect(sent).toBeDefined();
});

test('where Grafana does not let Muster search, a title is answered with what helps', async () => {
  const { type, grafana, place } = await openResolved();
  grafana.fail({ when: /api\/search/, answer: { status: 403, body: '{"message":"Access denied"}' } });
  for (const line of ['/dash link Checkout', '/dash show Checkout']) {
    const answer = await type(line);
    expect(answer).toContain('does not let Muster search');
    expect(answer).toContain('uid');
  }
  expect(place.troubles.some(each => String(each.msg).includes('search'))).toBe(true);
});

test('a task that Grafana itself ticks off is not sent', async () => {
  const { type, grafana, incident } = await openResolved();
  await type('/task add page the owner');
  const stored = await incident();
  const tasks = stored.taskList.tasks.map(each => ({ ...each, immutable: true }));
  const answer = { ...stored, taskList: { ...stored.taskList, tasks } };
  grafana.fail({ when: /GetIncident/, answer: { status: 200, body: JSON.stringify({ incident: answer, error: '' }) } });
  expect(await type('/task done 1')).toContain('ticks task 1 off automatically');
  expect(grafana.requests.filter(each => each.includes('UpdateTaskStatus'))).toEqual([]);
});
