import type { Workspace } from '../workspace/workspace.ts';

/** The names behind the ids in mrkdwn. A lookup of an unknown id yields `undefined`. */
export interface Directory {
  /** The name people see, without `@`. */
  personName(id: string): string | undefined;
  /** Without `#`. */
  channelName(id: string): string | undefined;
  /** Without `@`. */
  groupHandle(id: string): string | undefined;
  /** When what is rendered was written: the present for ages such as “4 minutes ago”. */
  readonly writtenAt?: Date;
}

/** Looks names up in a workspace. */
export function toDirectory(workspace: Workspace): Directory {
  return {
    personName: id => workspace.people.get(id)?.name,
    channelName: id => workspace.channels.get(id)?.name,
    groupHandle: id => workspace.userGroups.get(id)?.handle,
  };
}
