import { expect, test } from 'vitest';
import { ChannelStore } from '../../src/bot/incident/state/channels.ts';
import { openIncident } from '../support/incident-room.ts';
import { openOutage } from '../support/outage-room.ts';
import { openRestarts } from '../support/restarts.ts';
import { openOutlets } from '../support/sight/outlets.ts';

/** Where something stands that names the incident. */
function placesOf(said: ReadonlyMap<string, string>): readonly string[] {
  return [...said].filter(([, text]) => /Checkout answers|cache is cold/.test(text)).map(([where]) => where);
}

test('a room that is made private hides its incident in the embedded service too', async () => {
  const outlets = await openOutlets();
  const { place, alice, home, slack, type, incident } = await openIncident({ settings: outlets.settings });
  await type('/note add the cache is cold');
  const before = placesOf(await outlets.read(place));
  for (const where of [
    'page /incidents',
    'page /a/grafana-irm-app/incidents/1',
    'page /a/grafana-irm-app/incidents/1, with a token',
    'IncidentsService.GetIncident',
    'ActivityService.QueryActivity',
    'export of incident 1',
  ])
    expect(before).toContain(where);
  const told = before.filter(where => where.startsWith('webhook'));
  expect(told).toHaveLength(1);
  alice.makePrivate(home);
  await slack.settled();
  await place.quiet();
  expect(await incident()).toMatchObject({ incidentType: 'private', labels: [] });
  expect(await type('/incident severity major')).toContain(' to major (was ');
  expect(placesOf(await outlets.read(place))).toEqual(told);
});

/** A Muster that died right after it had stored Slack's event that the room of incident 1 is private; and the next one. */
async function openNext(settings: Readonly<Record<string, string>> = {}) {
  const { slack, database, alice, general, open } = await openRestarts({ settings });
  const first = await open();
  await alice.command(general, '/incident declare Checkout answers 500 --now');
  await first.quiet();
  const home = slack.channels.find(each => each.name.startsWith('inc-1'));
  if (!home) throw new Error('No channel was made');
  await first[Symbol.asyncDispose]();
  const changed = await new ChannelStore(database, alice.teamId).change(home.id, { isPrivate: true });
  expect(changed).toEqual(['1']);
  alice.makePrivate(home);
  return { alice, home, next: await open() };
}

test('the next process tells the embedded service what the last one knew of a room', async () => {
  const { next } = await openNext();
  await next.muster.bot.journal.tick();
  await next.quiet();
  const { incident } = await next.api.IncidentsService.GetIncident({ incidentID: '1' });
  expect(incident.incidentType).toBe('private');
});

test('a change that comes first is told by no webhook', async () => {
  const outlets = await openOutlets();
  const { alice, home, next } = await openNext(outlets.settings);
  await alice.command(home, '/incident severity critical');
  await next.quiet();
  expect(next.lastRead(alice, home.id)).toContain(' to critical (was ');
  const said = await outlets.read(next);
  const events = [...said].filter(([where, text]) => where.startsWith('webhook') && text.includes('Checkout answers'));
  expect(events.map(([, body]) => JSON.parse(body).event)).toEqual(['grafana.incident.created']);
});

test('an incident whose room was made private before it was registered is registered as private', async () => {
  const { alice, slack, place, type, goAway, comeBack, incident } = await openOutage();
  goAway();
  await type('/incident declare Checkout answers 500 --now');
  const room = slack.channels.find(each => each.name.includes('checkout'));
  if (!room) throw new Error('No channel was made');
  alice.makePrivate(room);
  await slack.settled();
  await place.quiet();
  await comeBack();
  expect(await incident()).toMatchObject({ title: 'Checkout answers 500', incidentType: 'private' });
});
