import { expect, test } from 'vitest';
import { addPartner, addPeopleAndChannels, raiseAlert } from '../../../playground/cast.ts';
import { openFakeSlack } from '../../../playground/fake-slack/fake-slack.ts';

test('a first visitor finds the alert in #checkout and nothing else; the guest is in no other channel', async () => {
  await using slack = await openFakeSlack();
  addPeopleAndChannels(slack, { hasGuest: true });
  addPartner(slack);
  raiseAlert(slack);
  for (const name of ['alice', 'bob', 'gina']) {
    const read = slack.person(name).sees('checkout', { notices: true });
    expect(read.map(each => each.text)).toEqual([expect.stringContaining('Payments fail in eu-west')]);
  }
  const { id } = slack.person('gina');
  expect(slack.channels.filter(each => each.members.has(id)).map(each => each.name)).toEqual(['checkout']);
});
