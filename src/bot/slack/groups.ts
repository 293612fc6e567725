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

/**
 * The user groups of every workspace. Slack is asked only when a handle is looked up: once in ten minutes, and for a name that is not among
 * them once in ten seconds, since the group may be new.
 */
export interface Groups {
  /** All of them. Throws Slack's error. */
  all(): Promise<readonly UserGroup[]>;
  /** Their handles by id; empty when Slack does not tell. Never throws. */
  handles(): Promise<ReadonlyMap<string, string>>;
  /** The group of that id or handle, without regard to case and with or without `@`; undefined for none. Throws Slack's error. */
  find(named: string): Promise<UserGroup | undefined>;
  /** Slack's ids of those who are in a group at this moment. Throws Slack's error. */
  members(group: UserGroup): Promise<readonly string[]>;
}

/** How long Slack's answer counts, in milliseconds, also when it is a refusal; a failure that passes; and that a name is unknown. */
const longest = { answer: 10 * 60_000, failure: 2000, unknown: 10_000 } as const;

/** What Slack was asked, and when. */
interface Asked {
  readonly all: Promise<readonly UserGroup[]>;
  readonly at: number;
  counts: number;
  /** Asks Slack once more, for a name that is not among them. */
  again?: Asked;
}

interface GroupDeps {
  readonly quick: {
    readonly usergroups: Pick<WebClient['usergroups'], 'list'> & {
      readonly users: Pick<WebClient['usergroups']['users'], 'list'>;
    };
  };
  readonly workspaces: Workspaces;
  /** Whether the same call may work a moment later. */
  isPassing(error: unknown): boolean;
  readonly clock: () => Date;
}

/** Makes the reader of user groups. */
export function createGroups({ quick, workspaces, isPassing, clock }: GroupDeps): Groups {
  let known: Asked | undefined;
  const ofTeam = async (team: TeamArgument) => {
    const { usergroups = [] } = await quick.usergroups.list({ ...team });
    return usergroups.flatMap(({ id, handle }) => (id && handle ? [{ id, handle, team }] : []));
  };
  const ask = async () => (await Promise.all((await workspaces.each()).map(ofTeam))).flat();
  const age = ({ at }: Asked) => Math.abs(clock().getTime() - at);
  const begin = (): Asked => {
    const asked: Asked = { all: ask(), at: clock().getTime(), counts: longest.answer };
    asked.all.catch(error => {
      if (isPassing(error)) asked.counts = longest.failure;
    });
    return asked;
  };
  const current = () => {
    if (!known || age(known) > known.counts) known = begin();
    return known;
  };
  /** The groups for a name that these do not have. They stay known while Slack does not answer. */
  const lookAgain = (asked: Asked): Promise<readonly UserGroup[]> => {
    if (age(asked.again ?? asked) <= longest.unknown) return (asked.again ?? asked).all;
    const next = begin();
    asked.again = next;
    next.all.then(
      () => {
        if (known === asked) known = next;
      },
      () => undefined,
    );
    return next.all;
  };
  const all = () => current().all;
  return {
    all,
    handles: () =>
      all().then(
        groups => new Map(groups.map(each => [each.id, each.handle])),
        () => new Map(),
      ),
    find: async named => {
      const handle = named.replace(/^@/, '').toLowerCase();
      const seek = (groups: readonly UserGroup[]) =>
        groups.find(each => each.id === named) ?? groups.find(each => each.handle.toLowerCase() === handle);
      const asked = current();
      return seek(await asked.all) ?? seek(await lookAgain(asked));
    },
    members: async ({ id, team }) => (await quick.usergroups.users.list({ usergroup: id, ...team })).users ?? [],
  };
}
