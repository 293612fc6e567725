import type { FakeSlackBase, Person } from '../../playground/fake-slack/fake-slack.ts';

/** A button as a message has it: its action id and its value. */
export interface KnownButton {
  readonly id: string;
  readonly value: string;
}

/** Presses a button as another client than Slack’s could: by its id and value, whether the person sees it or not. */
export async function forgePress(
  slack: Pick<FakeSlackBase, 'teamId' | 'deliver'>,
  person: Person,
  channelId: string,
  button: KnownButton,
) {
  const { id, value } = button;
  const payload = {
    type: 'block_actions',
    team: { id: slack.teamId },
    user: { id: person.id, team_id: slack.teamId },
    container: { type: 'message', message_ts: '1.2', channel_id: channelId, is_ephemeral: true },
    channel: { id: channelId },
    trigger_id: crypto.randomUUID(),
    actions: [{ type: 'button', action_id: id, block_id: 'b', action_ts: `${Math.random()}`, value }],
  };
  await slack.deliver({ body: new URLSearchParams({ payload: JSON.stringify(payload) }).toString() });
}
