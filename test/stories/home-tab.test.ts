import { expect, test } from 'vitest';
import { type Person, renderView } from '../../playground/fake-slack/fake-slack.ts';
import { declareNow, openIncident } from '../support/incident-room.ts';
import { openOutage } from '../support/outage-room.ts';
import { phrases } from '../support/phrases.ts';
import type { Workplace } from '../support/workplace.ts';

/** Opens the home tab of a person, and yields what it shows; `""` when nothing was published for them. */
async function opens(place: Workplace, person: Person): Promise<string> {
  person.openHome();
  await place.quiet();
  return shows(place, person);
}

function shows({ slack }: Workplace, person: Person): string {
  return person.home ? renderView(slack, person.home) : '';
}

test('a private incident is on the tabs of its members alone, and gone from the tab of who left', async () => {
  const { opens, place, slack, alice, bob, carol, home } = await openIncident({ flags: '--private' });
  expect(await opens(carol)).toContain('No incident is active.');
  alice.invite(home, bob);
  await slack.settled();
  await place.quiet();
  expect(await opens(bob)).toContain('Checkout answers 500');
  bob.leave(home);
  await slack.settled();
  await place.quiet();
  expect(await opens(bob)).not.toContain('Checkout');
  expect(await opens(alice)).toContain('Checkout answers 500');
});

test('while the API is away the tab says from when it is, declaring works, and a change waits', async () => {
  const { place, slack, alice, type, goAway, comeBack, api, act } = await openOutage();
  const room = await declareNow(place, alice, slack.channel('general'), 'Checkout answers 500');
  await type('/task add Roll back @alice', alice, room.id);
  await opens(place, alice);
  goAway();
  const stale = await opens(place, alice);
  expect(stale).toMatch(/^⏳ As of [^(]*: Grafana at \S+ does not answer\./);
  expect(stale).toContain(`[Declare an incident]\n${phrases.active(1)}`);
  expect(stale).toContain('⬜ 1. Roll back · to do');
  await act(() => alice.press('home', 'Done'));
  const { id } = slack.openDm(alice);
  expect(place.lastRead(alice, id)).toContain('I’ll finish the task “Roll back”');
  await act(() => alice.press('home', 'Declare an incident'));
  await act(() => alice.submit({ title: 'Disk is full' }));
  expect(shows(place, alice)).toContain(`⏳ ${phrases.unregistered} · Disk is full`);
  await comeBack();
  const { incident } = await api.IncidentsService.GetIncident({ incidentID: '1' });
  expect(incident.taskList.doneCount).toBe(1);
  const fresh = await opens(place, alice);
  expect(fresh).not.toContain('As of');
  expect(fresh).toContain(phrases.active(2));
});

test('when nothing is known yet and the API is away, one can still declare', async () => {
  const { place, alice, goAway } = await openOutage();
  goAway();
  expect(await opens(place, alice)).toMatch(
    /^:warning: I could not look that up: Grafana at \S+ cannot be reached right now\. .*\n\[Declare an incident\]/,
  );
});
