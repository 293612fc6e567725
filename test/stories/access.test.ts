import { expect, test } from 'vitest';
import { type Person, renderMessage } from '../../playground/fake-slack/fake-slack.ts';
import { openInstalledSlack, openWorkplace, type WorkplaceOptions } from '../support/workplace.ts';

async function openAcme(options: WorkplaceOptions = {}) {
  const place = await openWorkplace(options);
  const { slack } = place;
  const alice = slack.addPerson({ name: 'alice' });
  const guest = slack.addPerson({ name: 'guest', isRestricted: true });
  const oneChannelGuest = slack.addPerson({ name: 'visitor', isUltraRestricted: true });
  const stranger = slack.addPerson({ name: 'stranger', teamId: 'T0OTHER', isStranger: true });
  const partner = slack.addPerson({ name: 'partner', teamId: 'T0PARTNER' });
  const gone = slack.addPerson({ name: 'gone', deleted: true });
  const robot = slack.addPerson({ name: 'robot', isBot: true });
  const everybody = [alice, guest, oneChannelGuest, stranger, partner, gone, robot];
  const shared = slack.addChannel({ name: 'shared', members: everybody, botIsMember: true, isExtShared: true });
  /** What was last said to a person, which Slack does not show one whose account is deactivated. */
  const lastSaid = (person: Person) => {
    const last = shared.messages.findLast(message => person.canRead(message));
    return last ? renderMessage(slack, last) : '';
  };
  const count = async () =>
    (await place.api.IncidentsService.QueryIncidentPreviews({ query: {} })).incidentPreviews.length;
  return { place, slack, alice, shared, lastSaid, count };
}

test('who lost their rights unheard loses them here within a minute', async () => {
  let now = new Date('2026-03-02T14:00:00Z');
  // Slack sends no event that the app has not subscribed to.
  const deaf = await openInstalledSlack(() => now, { events: [] });
  const { place, alice, shared, count } = await openAcme({ clock: () => now, slack: deaf });
  await alice.command(shared, '/incident declare Disk is full --now');
  await place.quiet();
  alice.change({ isRestricted: true });
  now = new Date('2026-03-02T14:01:00Z');
  await alice.command(shared, '/incident declare Disk is fuller --now');
  await place.quiet();
  expect(place.lastRead(alice, 'shared')).toContain('You are a guest in this workspace');
  expect(await count()).toBe(1);
});
