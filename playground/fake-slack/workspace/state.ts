import type { Modals, SavedHome } from './modals.ts';
import type { PersonRecord, StoredChannel, StoredFile, UserGroup } from './records.ts';
import type { Counters, Workspace } from './workspace.ts';

/** Everything of a workspace that outlives its process, as JSON. Open modals and addresses for answers do not. */
export interface SlackState {
  readonly version: 1;
  readonly counters: Counters;
  readonly people: readonly PersonRecord[];
  readonly channels: readonly SavedChannel[];
  readonly userGroups: readonly (Omit<UserGroup, 'teamId'> & Partial<UserGroup>)[];
  readonly files: readonly StoredFile[];
  readonly takenCommands: readonly string[];
  readonly homes: readonly SavedHome[];
}

/** A channel as it is kept; without workspaces it is of the first one. */
type SavedChannel = Omit<StoredChannel, 'members' | 'teamIds'> &
  Partial<Pick<StoredChannel, 'teamIds'>> & { readonly members: readonly string[] };

/** Ids that a process may have given after its state was last kept. They are left out. */
const idsLost = 10_000;

/** The state as it is. It shares its parts with the workspace, so it is to be written down at once. */
export function saveState(workspace: Workspace, modals: Modals): SlackState {
  return {
    version: 1,
    counters: workspace.counters,
    people: [...workspace.people.values()],
    channels: [...workspace.channels.values()].map(channel => ({ ...channel, members: [...channel.members] })),
    userGroups: [...workspace.userGroups.values()],
    files: [...workspace.files.values()],
    takenCommands: [...workspace.takenCommands],
    homes: modals.homes.map(({ id, userId, payload }) => ({ id, userId, payload })),
  };
}

/** Fills a new workspace with what was kept of an earlier one. */
export function restoreState(workspace: Workspace, modals: Modals, state: SlackState): void {
  const { micros, id } = state.counters;
  workspace.counters = { micros, id: id + idsLost };
  const { people, channels, userGroups, files, takenCommands, homes } = structuredClone(state);
  for (const person of people) workspace.people.set(person.id, person);
  for (const { members, ...channel } of channels) {
    workspace.channels.set(channel.id, { teamIds: [workspace.teamId], ...channel, members: new Set(members) });
  }
  for (const group of userGroups) workspace.userGroups.set(group.id, { teamId: workspace.teamId, ...group });
  for (const file of files) workspace.files.set(file.id, file);
  for (const name of takenCommands) workspace.takenCommands.add(name);
  for (const home of homes) modals.restoreHome(home);
}
