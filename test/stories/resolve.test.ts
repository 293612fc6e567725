import { expect, test } from 'vitest';
import { renderView } from '../../src/fake-slack/fake-slack.ts';
import { openFakeGrafana } from '../support/fake-grafana.ts';
import { openIncident } from '../support/incident-room.ts';
import { recover } from '../support/recover.ts';
import { openInstalledSlack } from '../support/workplace.ts';

/** An incident over a Grafana whose answers can be made to fail. */
async function openRemote() {
  const grafana = await openFakeGrafana();
  return { grafana, ...(await openIncident({ settings: grafana.settings })) };
}

test('resolving by form: status, end, summary; a receipt, one line for everybody, the card and the announcement', async () => {
  const { type, alice, submit, wait, incident, items, reads, publicLines, place, home } = await openIncident();
  wait(65);

  await type('/incident resolve The pool was full & we doubled it');
  expect(alice.view?.values.summary?.summary?.value).toBe('The pool was full & we doubled it');
  await submit({});

  expect(reads()).toBe('✅ Resolved.\n[Undo]');
  expect(publicLines()).toEqual(['✅ Resolved after 1 h 5 min – @alice\n> The pool was full & we doubled it']);
  expect(await incident()).toMatchObject({
    status: 'resolved',
    incidentEnd: '2026-11-20T13:20:00Z',
    closedTime: '2026-11-20T13:20:00Z',
  });
  const [note] = await items('userNote');
  expect(note).toMatchObject({
    body: 'The pool was full & we doubled it\n\n— alice in Slack',
    user: { name: 'alice' },
    fieldValues: { source: 'resolution', addedBy: 'alice', addedByUser: alice.id },
  });
  expect((await items('incidentStatusChanged')).map(item => item.user.name)).toEqual(['alice']);
  expect(place.reads(alice, home.id)[0]).toContain('✅ Resolved');
  expect(place.reads(alice, home.id)[0]).toContain('after 1 h 5 min\n');
});

test('the announcement follows', async () => {
  const slack = await openInstalledSlack();
  const town = slack.addChannel({ name: 'town', botIsMember: true });
  const { place, alice } = await openIncident({
    slack,
    settings: { ANNOUNCE_CHANNEL: town.id },
    clock: () => new Date(),
  });
  alice.join(town.id);
  expect(place.lastRead(alice, 'town')).toContain('Active since');
  await alice.command(slack.channel('general'), '/incident resolve --incident 1 --now');
  await place.quiet();
  const [announcement, ...news] = place.reads(alice, 'town');
  expect(announcement).toContain('✅ Resolved');
  expect(news).toEqual([expect.stringMatching(/^✅ #1 Checkout answers 500 resolved after \d+ s$/)]);
});

test('a form sent twice, and two people at once, resolve it once and say so', async () => {
  const { alice, bob, card, press, place, publicLines, items, home } = await openIncident();
  await press(card(), 'Resolve');
  await press(card(), 'Resolve', bob);
  await Promise.all([alice.submitTwice({ summary: 'fixed' }), bob.submit({ summary: 'fixed it too' })]);
  await place.quiet();
  await alice.resubmit();
  await place.quiet();

  expect(publicLines()).toHaveLength(1);
  expect(await items('incidentStatusChanged')).toHaveLength(1);
  expect((await items('userNote')).map(note => note.user.name).toSorted()).toEqual(['alice', 'bob']);
  const told = [...place.reads(alice, home.id), ...place.reads(bob, home.id)].filter(text =>
    /Incident 1 is|✅ Resolved\.\n/.test(text),
  );
  expect(told.filter(text => text.includes('✅ Resolved.'))).toHaveLength(1);
  // Bob's form, and alice's third; her second click is answered with the first where that one was told meanwhile.
  expect([2, 3]).toContain(told.filter(text => text.includes('is resolved already, since')).length);
});

test('one part is refused: the others are done, and each is told', async () => {
  const { grafana, alice, card, press, submit, place, home, incident, items, last, publicLines } = await openRemote();
  await press(card(), 'Resolve');
  grafana.fail({ when: /AddActivity/, answer: { status: 403, body: '{"error":"no"}' } });
  await submit({ summary: 'It was the cache' });

  const told = place
    .reads(alice, home.id)
    .filter(each => !each.includes('Resolved after') && !each.includes('What comes next'))
    .slice(-2);
  expect(told[0]).toContain('✅ Resolved.');
  expect(told[1]).toContain('I could not put the summary “It was the cache” on the timeline of incident 1.');
  expect((await incident()).status).toBe('resolved');
  expect(await items('userNote')).toEqual([]);

  grafana.heal();
  expect(await press(last(), 'Try again')).toContain('The summary is on the timeline.');
  expect((await items('userNote')).map(note => note.body)).toEqual(['It was the cache\n\n— alice in Slack']);
  expect(publicLines()).toHaveLength(1);
});

test('one part cannot be done for now: it is kept with what comes after it, and both are done and told once', async () => {
  const { grafana, alice, card, press, submit, place, home, incident, items, publicLines } = await openRemote();
  await press(card(), 'Resolve');
  grafana.fail({ when: /AddActivity/, answer: { status: 503, body: '{"error":"down"}' } });
  await submit({ summary: 'It was the cache' });

  const kept = place.reads(alice, home.id).slice(-2);
  expect(kept[0]).toContain('Saved. I’ll resolve incident 1 as soon as the changes before it are made.');
  expect(kept[1]).toContain('Saved. I’ll put the summary “It was the cache” on the timeline of incident 1 as soon as');
  expect((await incident()).status).toBe('active');

  await recover(place, grafana);
  await place.quiet();
  expect((await incident()).status).toBe('resolved');
  expect((await items('userNote')).map(note => note.body)).toEqual(['It was the cache\n\n— alice in Slack']);
  expect(publicLines().filter(line => line.includes('Resolved after'))).toHaveLength(1);
  const told = place.reads(alice, home.id).join('\n');
  expect(told.match(/The summary is on the timeline\./g)).toHaveLength(1);
  expect(told.match(/Incident 1 is resolved after/g)).toHaveLength(1);
});

test('the answer is lost after the effect: it is found, and told once, to everybody too', async () => {
  const { grafana, type, publicLines, incident, place, alice, home } = await openRemote();
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
  const { grafana, card, press, submit, place, alice, home, last, incident, reads } = await openRemote();
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
  expect(reads()).toBe('✅ Resolved.\n[Undo]');
  expect((await incident()).status).toBe('resolved');
});

test('Slack refuses the line: the incident is resolved all the same, and that is said', async () => {
  const { slack, type, incident, place, alice } = await openIncident();
  slack.fail('chat.postMessage', { error: 'is_archived' }, { times: 1 });
  expect(await type('/incident resolve --now')).toContain('✅ Resolved.');
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
