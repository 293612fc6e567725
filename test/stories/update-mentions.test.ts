import { expect, test } from 'vitest';
import { openIncident } from '../support/incident-room.ts';

/** An incident that is announced, and the group sre-oncall, of bob, who is in its room, and carol, who is not. */
async function openTeam(flags = '') {
  const opened = await openIncident({ announces: true, flags });
  const { slack, bob, carol, home } = opened;
  const group = slack.addUserGroup({ handle: 'sre-oncall', name: 'On call', members: [bob, carol] });
  const byBot = (channelId: string) =>
    slack
      .channel(channelId)
      .messages.filter(each => each.botId === slack.botId && each.ephemeralTo === undefined)
      .map(each => `${each.text}\n${JSON.stringify(each.blocks)}`);
  const known = byBot(home.id).length;
  return {
    ...opened,
    group,
    /** What the room was told since the declaration. */
    told: () => byBot(home.id).slice(known).join('\n'),
    announced: () => byBot(slack.channel('incidents').id).join('\n'),
    invitations: () => slack.callsOf('conversations.invite').filter(each => each.args.users !== opened.alice.id),
  };
}

/** The mentions in Slack's text that notify somebody, each once. */
function notified(text: string, alice: { readonly id: string }): readonly string[] {
  const found = [...text.matchAll(/<(@[UW]\w+|!subteam\^\w+|!(?:here|channel|everyone|group)[^>]*)(?:\|[^>]*)?>/g)];
  return [...new Set(found.map(([, target = '']) => target))].filter(each => each !== `@${alice.id}`).sort();
}

test('an update notifies in the room whom it names, and nobody else anywhere', async () => {
  const { type, alice, bob, group, told, announced, invitations } = await openTeam();
  await type('/incident update @sre-oncall @bob please join');
  expect(notified(told(), alice)).toEqual([`!subteam^${group.id}`, `@${bob.id}`]);
  expect(notified(announced(), alice)).toEqual([]);
  expect(invitations()).toEqual([]);
});
