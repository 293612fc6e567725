import { expect, test } from 'vitest';
import { openGeneral } from '../support/general.ts';

test.each([1, 2, 3, 5, 6, 8, 9, 10, 15, 30, 60])(
  'who declares while Slack asks to wait %i s for a channel reads that at once, and that Muster goes on by itself',
  async seconds => {
    const { place, slack, alice, general } = await openGeneral();
    slack.fail('conversations.create', { rateLimited: seconds });
    await alice.command(general, '/incident declare Disk is full --now');
    await slack.until(() => place.lastRead(alice, 'general').includes('You declared incident 1'));
    expect(slack.callsOf('conversations.create'), 'nobody waits for the second try').toHaveLength(1);
    const read = place.lastRead(alice, 'general');
    expect(read).toContain(`Slack asks me to wait ${seconds} s`);
    expect(read).toContain('make a channel for this incident');
    expect(read).toContain('I will then do it and tell you.');
    expect(read).not.toMatch(/Head to|is ready/);
  },
);

test('when Slack takes it, the person reads where the channel is, and it was made once', async () => {
  const { place, slack, alice, general } = await openGeneral();
  slack.fail('conversations.create', { rateLimited: 1 }, { times: 2 });
  await alice.command(general, '/incident declare Disk is full --now');
  const told = () => place.reads(alice, 'general').filter(each => each.includes('Head to'));
  await slack.until(() => told().length > 0);
  expect(told()).toEqual([expect.stringContaining('#inc-1-disk-is-full')]);
  expect(slack.channels.filter(each => each.name.startsWith('inc-'))).toHaveLength(1);
});
