import type { Workspace } from '../workspace.ts';
import type { Directory } from './mrkdwn.ts';

/** The names of everything in a workspace, for rendering. */
export function toDirectory(workspace: Workspace): Directory {
  return {
    personName: id => workspace.people.get(id)?.name,
    channelName: id => workspace.channels.get(id)?.name,
    groupHandle: id => workspace.userGroups.get(id)?.handle,
  };
}
