import { renderMrkdwn } from '../../../fake-slack/render/mrkdwn.ts';
import type { WorkspaceView } from '../../workspace/protocol.ts';

/** The words of mrkdwn on one line, for labels and announcements. */
export function plainText({ people, channels, groups }: WorkspaceView, mrkdwn: string): string {
  const directory = {
    personName: (id: string) => people.find(each => each.id === id)?.name,
    channelName: (id: string) => channels.find(each => each.id === id)?.name,
    groupHandle: (id: string) => groups.find(each => each.id === id)?.handle,
  };
  return renderMrkdwn(directory, mrkdwn).replace(/\s+/g, ' ').trim();
}
