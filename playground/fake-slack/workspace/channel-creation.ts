import { SlackError } from '../protocol/slack-error.ts';
import { join } from './channel-log.ts';
import type { StoredChannel } from './records.ts';
import type { Workspace } from './workspace.ts';

/** Characters of a channel name (docs/slack.md 7). */
const nameLimit = 80;

/**
 * Returns a valid new name: lowercase letters and letters without case, digits, `-`, `_`, at most 80 characters, not taken. Marks that stand on
 * a letter as a sign of their own, as the vowels of Hindi and Thai, are none of these (docs/slack.md 7).
 */
function checkName(workspace: Workspace, wanted: string, teamId: string): string {
  const name = wanted.replace(/^#/, '');
  if (name === '') throw new SlackError('invalid_name_required');
  if (name.length > nameLimit) throw new SlackError('invalid_name_maxlength');
  if (/^[-_]+$/.test(name)) throw new SlackError('invalid_name_punctuation');
  if (!/^[\p{Ll}\p{Lm}\p{Lo}\p{N}_-]+$/u.test(name)) throw new SlackError('invalid_name_specials');
  if (workspace.channelNamed(name, teamId) !== undefined) throw new SlackError('name_taken');
  return name;
}

/** Makes a channel in a workspace, of which its creator is the first member. Throws Slack's refusal of a name. */
export function create(
  workspace: Workspace,
  { creator, teamId }: { readonly creator: string; readonly teamId: string },
  wanted: string,
  isPrivate: boolean,
): StoredChannel {
  const name = checkName(workspace, wanted, teamId);
  const channel = workspace.addChannel({ name, isPrivate, memberIds: [], creator, teamIds: [teamId] });
  join(workspace, channel, creator);
  if (!isPrivate) {
    workspace.emit({
      type: 'channel_created',
      channel: { id: channel.id, name, created: channel.created, creator },
      event_ts: workspace.nextTs(),
    });
  }
  return channel;
}
