import { z } from 'zod';

/** People who are called one target after the other, until one answers: at a severity, or at a label. */
export interface CallChain {
  readonly at: 'severity' | 'label';
  /** The severity, or the label. */
  readonly name: string;
  readonly targets: readonly ChainTarget[];
}

/** A user group of Slack's without its `@`, or a pager. */
type ChainTarget =
  | { readonly kind: 'group'; readonly handle: string }
  | { readonly kind: 'pager'; readonly name: string };

/** Chains, and targets of one chain, at most. */
const most = { chains: 20, targets: 10 } as const;

/** The handle of a user group as Slack allows it, behind its `@`. */
const handle = /^@([a-z0-9][a-z0-9._-]{0,99})$/i;
/** A pager in a chain. */
const pager = /^pager:\s*([a-z0-9][a-z0-9-]{0,39})$/;

/** `severity:@group>@group>pager:name` and `label name:@group`, separated by semicolons; empty for none. A complaint names the place of the wrong chain. */
export const callChains = z.string().transform((value, context): readonly CallChain[] => {
  const typed = value.split(';').map(each => each.trim());
  const chains = typed.filter(each => each !== '').map((each, index) => readChain(each, `chain ${index + 1}`));
  const problems = chains.flatMap(each => (typeof each === 'string' ? [each] : []));
  const read = chains.flatMap(each => (typeof each === 'string' ? [] : [each]));
  for (const [index, { at, name }] of read.entries()) {
    const first = read.findIndex(each => each.at === at && each.name.toLowerCase() === name.toLowerCase());
    if (first < index) problems.push(`must not name the ${at} of a chain twice`);
  }
  if (typed.length > most.chains) problems.push(`must have at most ${most.chains} chains`);
  for (const each of new Set(problems)) context.addIssue(each);
  return read;
});

/** One chain, or what is wrong with it. */
function readChain(typed: string, place: string): CallChain | string {
  const [, label, name = '', targets = ''] = /^(label\s+)?(\S.*?):\s*((?:@|pager:).*)$/is.exec(typed) ?? [];
  if (name === '') return `${place} must be severity:@group or label name:@group, such as critical:@sre>@sre-leads`;
  const read = targets.split('>').map(each => readTarget(each.trim()));
  if (read.length > most.targets) return `${place} must have at most ${most.targets} groups and pagers`;
  const wrong = read.indexOf(undefined);
  if (wrong >= 0)
    return `${place} must name groups by their handles, and pagers behind pager: – target ${wrong + 1} is neither, such as @sre or pager:sre`;
  const named = read.flatMap(each => (each === undefined ? [] : [each]));
  return { at: label === undefined ? 'severity' : 'label', name: name.trim(), targets: named };
}

function readTarget(typed: string): ChainTarget | undefined {
  const [, group] = handle.exec(typed) ?? [];
  if (group !== undefined) return { kind: 'group', handle: group };
  const [, name] = pager.exec(typed) ?? [];
  return name === undefined ? undefined : { kind: 'pager', name };
}

/** The minutes after which the next target of a chain is called. */
export const callAfter = z.coerce
  .number('must be a number')
  .int('must be a whole number')
  .min(1, 'must be at least 1')
  .max(120, 'must be at most 120');

/** The handle of one group, without its `@`; `""` for none. */
export const groupHandle = z
  .string()
  .refine(value => value === '' || handle.test(value), 'must be the handle of a group of Slack’s, such as @sre')
  .transform(value => value.replace(/^@/, ''));
