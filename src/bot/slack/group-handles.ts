import type { WebClient } from './bolt.ts';

/** The handles of the workspace's user groups by id; empty when Slack does not tell. Never throws. */
export type GroupHandles = () => Promise<ReadonlyMap<string, string>>;

/** How long Slack's answer counts, in milliseconds, also when it is a refusal. */
const longest = 10 * 60_000;

/** Makes the reader of group handles. Slack is asked once in ten minutes at most, and only when somebody wants to know. */
export function createGroupHandles({
  quick,
  clock,
}: {
  readonly quick: { readonly usergroups: Pick<WebClient['usergroups'], 'list'> };
  readonly clock: () => Date;
}): GroupHandles {
  let known: Promise<ReadonlyMap<string, string>> | undefined;
  let askedAt = 0;
  const ask = async () => {
    const { usergroups = [] } = await quick.usergroups.list({});
    return new Map(usergroups.flatMap(({ id, handle }) => (id && handle ? [[id, handle] as const] : [])));
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
