import type { FakeSlackBase, Person } from '../../playground/fake-slack/fake-slack.ts';

/** A button as a message has it: its action id and its value. */
export interface KnownButton {
  readonly id: string;
  readonly value: string;
}

/** Presses a button as another client than Slack’s could: by its id and value, whether the person sees it or not; `from` names other workspaces. */
export async function forgePress(
  slack: Pick<FakeSlackBase, 'teamId' | 'deliver'>,
  person: Person,
  channelId: string,
  button: KnownButton,
  from: { readonly teamId?: string; readonly ofUser?: string; readonly enterpriseId?: string } = {},
) {
  const { id, value } = button;
  const { teamId = slack.teamId, ofUser = slack.teamId, enterpriseId } = from;
  const payload = {
    type: 'block_actions',
    team: { id: teamId },
    user: { id: person.id, team_id: ofUser },
    ...(enterpriseId === undefined ? {} : { enterprise: { id: enterpriseId } }),
    container: { type: 'message', message_ts: '1.2', channel_id: channelId, is_ephemeral: true },
    channel: { id: channelId },
    trigger_id: crypto.randomUUID(),
    actions: [{ type: 'button', action_id: id, block_id: 'b', action_ts: `${Math.random()}`, value }],
  };
  await slack.deliver({ body: new URLSearchParams({ payload: JSON.stringify(payload) }).toString() });
}
