import { isDeepStrictEqual } from 'node:util';
import type { http, rpc } from '../contract/contract.ts';
import { type ErrorCode, RpcError } from '../contract/errors.ts';
import type { Fixtures } from './fixtures.ts';

type Groups = typeof rpc & typeof http;
/** `<Service>.<Operation>` or `<Group>.<endpoint>` of everything in the contract. */
type OperationName = { [G in keyof Groups & string]: `${G}.${keyof Groups[G] & string}` }[keyof Groups & string];

/** The operation of checks about the wire itself. */
export const everyOperation = 'every operation';

/**
 * The source of a rule. `required`: the two API documents, or facts about the real system and its official clients (R, L and D
 * lines of docs/api-rules.md). `ours`: our decision where those are silent (its lines without a mark); another server of this API may
 * differ.
 */
export type Rule = 'required' | 'ours';

/** One rule to check on a server. */
export interface Check {
  readonly operation: OperationName | typeof everyOperation;
  /** Completes the sentence "the server …". */
  readonly what: string;
  readonly rule: Rule;
  /** Document and section. */
  readonly source: string;
  /** A server may lack the operation. The report says so, and it is no fault. */
  readonly optional?: true;
  /** Needs a token that may only read. */
  readonly viewer?: true;
  /** Passes, or throws a {@link Difference} or the client's error. */
  readonly run: (fixtures: Fixtures) => Promise<void>;
}

/** The server breaks the rule. */
export class Difference extends Error {
  override readonly name = 'Difference';
  /** Weaker than the check's own rule, when only a detail of ours differs. */
  readonly rule: Rule | undefined;

  constructor(expected: string, found: unknown, rule?: Rule) {
    super(`expected ${expected}; got ${show(found)}`);
    this.rule = rule;
  }
}

const shown = 160;

/** A value as one short line. */
export function show(value: unknown): string {
  const text = (value instanceof RpcError ? String(value) : (JSON.stringify(value) ?? String(value))).replace(
    /\p{Cc}+/gu,
    ' ',
  );
  return text.length <= shown ? text : `${text.slice(0, shown - 1)}…`;
}

/** `found` is deeply equal to `expected`. */
export function expectSame(what: string, found: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(found, expected)) throw new Difference(`${what} ${show(expected)}`, found);
}

/** A condition holds; `expected` says which. */
export function expectThat(condition: boolean, expected: string, found: unknown): asserts condition {
  if (!condition) throw new Difference(expected, found);
}

/** Gives `thing`, which must exist. */
export function expectThere<T>(thing: T | undefined | null, expected: string, among: unknown): T {
  if (thing === undefined || thing === null) throw new Difference(expected, among);
  return thing;
}

/** Failures that say nothing about a rule. The kit handles them, not the check. */
const inconclusive: readonly ErrorCode[] = ['unavailable', 'deadline_exceeded', 'canceled', 'unauthenticated'];

/** The call is refused. The documents leave the code open, so another code is a difference of ours. */
export async function expectRefusal(call: Promise<unknown>, code: ErrorCode, words?: RegExp): Promise<void> {
  const outcome = await call.then(
    answer => ({ answer }),
    (error: unknown) => ({ error }),
  );
  if ('answer' in outcome) throw new Difference(`a refusal (${code})`, outcome.answer);
  const { error } = outcome;
  if (!(error instanceof RpcError) || inconclusive.includes(error.code)) throw error;
  if (error.code === 'permission_denied' && code !== 'permission_denied') throw error;
  if (error.code !== code) throw new Difference(code, error, 'ours');
  if (words && !words.test(error.message)) throw new Difference(`words like ${words}`, error.message, 'ours');
}

/** Defines checks of one operation. `documents` is the source of its required rules. */
export function checksOf(
  operation: Check['operation'],
  documents: string,
  terms: Pick<Check, 'optional' | 'viewer'> = {},
) {
  return {
    /** A rule of the documents, or of the real system where `source` names a line of docs/api-rules.md. */
    required: (what: string, run: Check['run'], source = documents): Check => ({
      operation,
      what,
      rule: 'required',
      source,
      ...terms,
      run,
    }),
    /** A decision of ours; `source` is the section of docs/api-rules.md. */
    ours: (what: string, source: string, run: Check['run']): Check => ({
      operation,
      what,
      rule: 'ours',
      source: `docs/api-rules.md ${source}`,
      ...terms,
      run,
    }),
  };
}
