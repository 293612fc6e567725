import { z } from 'zod';
import type { CallChain } from '../../../config/call-formats.ts';

/** One target of a chain. */
export const CallTarget = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('group'), handle: z.string() }),
  z.object({ kind: z.literal('pager'), name: z.string() }),
]);
/** One target of a chain: a user group of Slack's by its handle, without `@`, or a pager of the team by its name. */
export type CallTarget = z.output<typeof CallTarget>;

/** A target as people write it, in plain text: `@sre`, `pager sre`. */
export function targetName(target: CallTarget): string {
  return target.kind === 'group' ? `@${target.handle}` : `pager ${target.name}`;
}

/** The handles of the groups that some chains call, each once. */
export function groupsOf(chains: readonly CallChain[]): ReadonlySet<string> {
  const targets = chains.flatMap(each => each.targets);
  return new Set(targets.flatMap(each => (each.kind === 'group' ? [each.handle] : [])));
}

/** The facts of an incident that decide whether a chain begins. */
export interface CallFacts {
  readonly status: string;
  readonly severity: string;
  readonly isDrill: boolean;
  readonly labels: readonly string[];
}

/** The name of a chain among those of an incident: `severity critical`. */
export function chainName({ at, name }: CallChain): string {
  return `${at} ${name}`;
}

/** Whether people may be called for an incident without being asked for: it goes on, and is no drill. */
export function mayCall({ status, isDrill }: CallFacts): boolean {
  return status !== 'resolved' && !isDrill;
}

/**
 * The chains that a change begins. `before` is undefined at a declaration. A severity begins its chain when it is raised to it, a label when
 * it is added; a drill that turns out to be real begins all that fit. `severities` go from mild to grave.
 */
export function chainsBegun(
  chains: readonly CallChain[],
  severities: readonly string[],
  before: CallFacts | undefined,
  after: CallFacts,
): readonly CallChain[] {
  if (!mayCall(after)) return [];
  const was = before?.isDrill ? undefined : before;
  const rank = (severity: string) => severities.findIndex(each => isSame(each, severity));
  const isRaised = was === undefined || rank(after.severity) > rank(was.severity);
  const has = ({ labels }: CallFacts, name: string) => labels.some(each => isSame(each, name));
  return chains.filter(({ at, name }) =>
    at === 'severity'
      ? isRaised && isSame(after.severity, name)
      : has(after, name) && !(was !== undefined && has(was, name)),
  );
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
