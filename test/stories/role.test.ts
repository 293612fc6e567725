import { expect, test } from 'vitest';
import { openIncident } from '../support/incident-room.ts';
import { phrases } from '../support/phrases.ts';

const home = 'inc-1-checkout-answers-500';

test('somebody gets a role: the channel is told, they are invited, the card and the timeline follow', async () => {
  const { place, slack, alice, bob, carol, typeAndReadAll: type, held } = await openIncident();
  const announced = () =>
    place.reads(bob, home).flatMap(text => text.split('\n').filter(line => line.includes(' made ')));
  const answer = await type('/role assign @carol commander');
  expect(answer).toContain(':bust_in_silhouette: You made @carol commander');
  expect(announced()).toEqual([':bust_in_silhouette: @alice made @carol commander']);
  expect(slack.channel(home).members).toContain(carol.id);
  expect(await held()).toEqual(['carol: commander']);
  expect(place.reads(alice, home)[0]).toContain('Commander @carol');
  expect(place.reads(alice, home)[0]).not.toContain('Take command');
  const { activityItems } = await place.api.ActivityService.QueryActivity({ query: { incidentID: '1' } });
  const item = activityItems.find(each => each.activityKind === 'roleAssigned');
  expect([item?.body, item?.user.name, item?.subjectUser.name]).toEqual([
    'carol assigned as commander',
    'alice',
    'carol',
  ]);

  expect(await type('/role assign commander @carol')).toBe(`@carol is commander already. ${phrases.unchanged}`);
  expect(announced()).toHaveLength(1);
});

test('what Slack refuses is said, and the role is given all the same', async () => {
  const { slack, typeAndReadAll: type, held, place, alice, home: room } = await openIncident();
  slack.fail('conversations.invite', { error: 'restricted_action' });
  slack.fail('chat.postMessage', { error: 'is_archived' }, { times: 1, when: args => args.channel === room.id });
  const answer = await type('/role assign @carol commander');
  expect(answer).toContain('You ');
  expect(answer).toContain(
    'I could not invite @carol to #inc-1-checkout-answers-500: this workspace does not let apps',
  );
  expect(place.lastRead(alice, slack.openDm(alice).id)).toContain(
    'I could not say so in #inc-1-checkout-answers-500: that channel is archived.',
  );
  expect(await held()).toEqual(['carol: commander']);
});

test('nobody gets into a private channel by giving themselves a role from outside', async () => {
  const { slack, bob, carol, general, typeAndReadAll: type, held } = await openIncident({ flags: '--private' });
  const answer = await type('/role assign me commander --incident 1', bob, general);
  expect(answer).toContain(phrases.noIncident(1));
  expect(slack.channel(home).members).not.toContain(bob.id);
  await type('/role assign @carol observer');
  expect(slack.channel(home).members, 'nor by a role that somebody inside gives them').not.toContain(carol.id);
  expect(await held()).toEqual(['carol: observer']);
});
