import { expect, test } from 'vitest';
import { renderView } from '../../playground/fake-slack/fake-slack.ts';
import { openFakeGrafana } from '../support/fake-grafana.ts';
import { openIncident } from '../support/incident-room.ts';
import { recover } from '../support/recover.ts';
import { openInstalledSlack } from '../support/workplace.ts';

test('the announcement follows', async () => {
  const slack = await openInstalledSlack();
  const town = slack.addChannel({ name: 'town', botIsMember: true });
  const { place, alice, act } = await openIncident({
    slack,
    settings: { ANNOUNCE_CHANNEL: town.id },
    clock: () => new Date(),
  });
  alice.join(town.id);
  expect(place.lastRead(alice, 'town')).toContain('Active since');
  await act(() => alice.command(slack.channel('general'), '/incident resolve --incident 1 --now'));
  const [announcement, ...news] = place.reads(alice, 'town');
  expect(announcement).toContain('✅ Resolved');
  expect(news).toEqual([expect.stringMatching(/^✅ #1 Checkout answers 500 resolved after \d+ s$/)]);
});

test('a form sent twice, and two people at once, resolve it once and say so', async () => {
  const { alice, bob, card, press, place, publicLines, items, home, act } = await openIncident();
  await press(card(), 'Resolve');
  await press(card(), 'Resolve', bob);
  await Promise.all([alice.submitTwice({ summary: 'fixed' }), bob.submit({ summary: 'fixed it too' })]);
  await place.quiet();
  await act(() => alice.resubmit());

  expect(publicLines()).toHaveLength(1);
  expect(await items('incidentStatusChanged')).toHaveLength(1);
  expect((await items('userNote')).map(note => note.user.name).toSorted()).toEqual(['alice', 'bob']);
  const told = [...place.reads(alice, home.id), ...place.reads(bob, home.id)].filter(text =>
    /Incident 1 is|You already|✅ You resolved/.test(text),
  );
  expect(told.filter(text => text.includes('✅ You resolved'))).toHaveLength(1);
  // Bob's form, and alice's third; her second click is answered with the first where that one was told meanwhile.
  expect([2, 3]).toContain(told.filter(text => text.includes('already')).length);
});

test('the answer is lost after the effect: it is found, and told once, to everybody too', async () => {
  const grafana = await openFakeGrafana();
  const { type, publicLines, incident, place, alice, home } = await openIncident({ settings: grafana.settings });
  grafana.fail({ when: /UpdateStatus/, afterEffect: true, answer: { status: 500, body: 'oops' } });
  await type('/incident resolve --now');
  expect((await incident()).status).toBe('resolved');
  expect(publicLines()).toEqual([]);
  await recover(place, grafana);
  await place.quiet();
  expect(place.reads(alice, home.id).join('\n')).toContain('Resolved after');
  expect(publicLines()).toHaveLength(1);
});

test('the API is down: nothing is lost, the form can be taken up again', async () => {
  const grafana = await openFakeGrafana();
  const { card, press, submit, place, alice, home, last, incident, reads } = await openIncident({
    settings: grafana.settings,
  });
  await press(card(), 'Resolve');
  grafana.fail({ when: /plugins/, answer: { status: 401, body: '{"message":"Invalid API key"}' } });
  await submit({ summary: 'It was the cache' });
  const told = place.reads(alice, home.id).slice(-2);
  expect(told[0]).toContain('I could not resolve incident 1.');
  expect(told[1]).toContain('I could not put the summary “It was the cache” on the timeline of incident 1.');
  expect(told[1]).toContain('[Change it]');

  expect(await press(card(), 'Resolve')).toContain('does not accept Muster’s token');
  grafana.heal();
  const refused = place.messages(alice, home.id).at(-3);
  await press(refused ?? last(), 'Change it');
  await submit({});
  expect(reads()).toMatch(/^✅ You resolved incident 1 after .*\n\[Undo\]$/);
  expect((await incident()).status).toBe('resolved');
});

test('Slack refuses the line: the incident is resolved all the same, and that is said', async () => {
  const { slack, type, incident, place, alice } = await openIncident();
  slack.fail('chat.postMessage', { error: 'is_archived' }, { times: 1 });
  expect(await type('/incident resolve --now')).toContain('✅ You resolved');
  expect(place.lastRead(alice, slack.openDm(alice).id)).toContain(
    'Your change is done. I could not say so in #inc-1-checkout-answers-500: that channel is archived.',
  );
  expect((await incident()).status).toBe('resolved');
});

test('tasks that are still open are mentioned before and after, and stay on the card', async () => {
  const { next, type, submit, alice, place, home } = await openIncident();
  await type('/task add tell support');

  await type('/incident resolve');
  expect(renderView(place.slack, alice.view ?? expect.unreachable('no form'))).toContain('1 task is still open');
  await submit({});

  expect(next()[0]).toMatch(/^What comes next: close 1 open task · .*\n.*\[Tasks\]/);
  expect(place.reads(alice, home.id)[0]).toContain('Tasks 1 open, 0 done');
});
