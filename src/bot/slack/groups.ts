import type { WebClient } from './bolt.ts';
import type { TeamArgument, Workspaces } from './workspaces.ts';

/** A user group of Slack's that is not disabled. */
interface UserGroup {
  readonly id: string;
  /** As people type it, without its `@`. */
  readonly handle: string;
  /** The workspace that it is of. */
  readonly team: TeamArgument;
}

/** The user groups of every workspace. Slack is asked once in ten minutes at most, and only when somebody wants to know. */
export interface Groups {
  /** All of them. Throws Slack's error. */
  all(): Promise<readonly UserGroup[]>;
  /** Their handles by id; empty when Slack does not tell. Never throws. */
  handles(): Promise<ReadonlyMap<string, string>>;
  /** The group of that id or handle, without regard to case and with or without `@`; undefined for none. Throws Slack's error. */
  find(named: string): Promise<UserGroup | undefined>;
  /** Slack's ids of those who are in a group at this moment. Throws Slack's error. */
  members(group: Pick<UserGroup, 'id' | 'team'>): Promise<readonly string[]>;
}

/** How long Slack's answer counts, in milliseconds, also when it is a refusal; and a failure that passes. */
const longest = { answer: 10 * 60_000, failure: 2000 } as const;

/** What the groups are read with. */
interface GroupDeps {
  readonly quick: {
    readonly usergroups: Pick<WebClient['usergroups'], 'list'> & {
      readonly users: Pick<WebClient['usergroups']['users'], 'list'>;
    };
  };
  readonly workspaces: Pick<Workspaces, 'each'>;
  /** Whether the same call may work a moment later. */
  isPassing(error: unknown): boolean;
  readonly clock: () => Date;
}

/** Makes the reader of user groups. */
export function createGroups({ quick, workspaces, isPassing, clock }: GroupDeps): Groups {
  let known: { readonly all: Promise<readonly UserGroup[]>; readonly askedAt: number; counts: number } | undefined;
  const ofTeam = async (team: TeamArgument) => {
    const { usergroups = [] } = await quick.usergroups.list({ ...team });
    return usergroups.flatMap(({ id, handle }) => (id && handle ? [{ id, handle, team }] : []));
  };
  const ask = async () => (await Promise.all((await workspaces.each()).map(ofTeam))).flat();
  const all = () => {
    const now = clock().getTime();
    if (!known || Math.abs(now - known.askedAt) > known.counts) {
      const asked = { all: ask(), askedAt: now, counts: longest.answer as number };
      asked.all.catch(error => {
        if (isPassing(error)) asked.counts = longest.failure;
      });
      known = asked;
    }
    return known.all;
  };
  return {
    all,
    handles: () =>
      all().then(
        groups => new Map(groups.map(each => [each.id, each.handle])),
        () => new Map(),
      ),
    find: async named => {
      const handle = named.replace(/^@/, '').toLowerCase();
      const groups = await all();
      return groups.find(each => each.id === named) ?? groups.find(each => each.handle.toLowerCase() === handle);
    },
    members: async ({ id, team }) => (await quick.usergroups.users.list({ usergroup: id, ...team })).users ?? [],
  };
}
