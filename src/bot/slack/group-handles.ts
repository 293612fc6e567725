import type { WebClient } from './bolt.ts';
import type { Workspaces } from './workspaces.ts';

/** The handles of the workspace's user groups by id; empty when Slack does not tell. Never throws. */
export type GroupHandles = () => Promise<ReadonlyMap<string, string>>;

/** How long Slack's answer counts, in milliseconds, also when it is a refusal. */
const longest = 10 * 60_000;

/** What the groups are read with. */
interface GroupDeps {
  readonly quick: { readonly usergroups: Pick<WebClient['usergroups'], 'list'> };
  readonly workspaces: Pick<Workspaces, 'each'>;
}

/** The user groups of every workspace, with their members if asked for. Throws Slack's error. */
export async function listGroups({ quick, workspaces }: GroupDeps, how: { readonly include_users?: boolean } = {}) {
  const answers = await Promise.all((await workspaces.each()).map(team => quick.usergroups.list({ ...how, ...team })));
  return answers.flatMap(({ usergroups = [] }) => usergroups);
}

/** Makes the reader of group handles. Slack is asked once in ten minutes at most, and only when somebody wants to know. */
export function createGroupHandles({ clock, ...slack }: GroupDeps & { readonly clock: () => Date }): GroupHandles {
  let known: Promise<ReadonlyMap<string, string>> | undefined;
  let askedAt = 0;
  const ask = async () => {
    const groups = await listGroups(slack);
    return new Map(groups.flatMap(({ id, handle }) => (id && handle ? [[id, handle] as const] : [])));
  };
  return () => {
    const now = clock().getTime();
    if (!known || Math.abs(now - askedAt) > longest) {
      askedAt = now;
      known = ask().catch(() => new Map());
    }
    return known;
  };
}
