import { expect, test } from 'vitest';
import { openIncident } from '../support/incident-room.ts';
import { readList } from '../support/table.ts';

/** Slack's words for an edit that it refuses. */
const refusals: readonly string[] = readList(`
  edit_window_closed | cant_update_message | invalid_blocks | msg_too_long | update_failed | block_mismatch
  restricted_action | as_user_not_supported | no_permission | streaming_state_conflict
`);

test.each(refusals)('a card that Slack does not let Muster edit (%s) is told in the room, once', async error => {
  const { slack, card, type, publicLines } = await openIncident();
  const { ts } = card();
  slack.fail('chat.update', { error }, { times: 10_000, when: args => args.ts === ts });
  for (const severity of ['major', 'critical', 'minor']) await type(`/incident severity ${severity}`);
  const told = publicLines().filter(each => each.includes('The card is out of date'));
  expect(told).toEqual([expect.stringContaining('/incident status')]);
  expect(told[0]).toContain('Muster administrator');
});

test('a card that Slack takes is never called old', async () => {
  const { type, publicLines } = await openIncident();
  await type('/incident severity major');
  expect(publicLines().join('\n')).not.toContain('is old');
});
