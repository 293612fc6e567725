import { nearest } from '../text/distance.ts';
import type { Token } from './tokens.ts';
import type { FlagShape } from './verb.ts';

/** What flags were found to say, and what is left beside them. */
type Flags =
  | { kind: 'read'; flags: Record<string, FlagValue>; rest: Token[] }
  | { kind: 'help' }
  | { kind: 'invalid'; problem: string };

/** A switch that is on, one text, or the texts of a flag that may be repeated. */
export type FlagValue = string | true | readonly string[];

type FlagShapes = Readonly<Record<string, FlagShape>>;
type KnownFlag = { name: string; shape: FlagShape };

const maxShown = 40;

/**
 * Takes the flags out of a verb's arguments. `--` ends them. A long dash counts as `--` before a known flag only, since
 * keyboards turn `--` into it and people write it in sentences. In prose, a flag that is nearly none of the verb's is
 * text, and so is `--` within it.
 */
export function readFlags(
  shapes: FlagShapes,
  tokens: readonly Token[],
  text: string,
  { isProse = false }: { isProse?: boolean } = {},
): Flags {
  const flags: Record<string, FlagValue> = {};
  const lists = new Map<string, string[]>();
  const rest: Token[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (token === undefined) break;
    const ends = !token.quoted && token.text === '--' && (!isProse || rest.length === 0);
    if (ends) return { kind: 'read', flags, rest: [...rest, ...tokens.slice(at + 1)] };
    const typed = asFlag(shapes, token);
    if (typed === undefined) {
      rest.push(token);
      continue;
    }
    const known = findFlag(shapes, typed.name);
    if (known === undefined && isProse && nearFlag(shapes, typed.name) === undefined) {
      rest.push(token);
      continue;
    }
    if (known === undefined) return typed.name === 'help' ? { kind: 'help' } : unknownFlag(shapes, typed.name);
    const taken = takeValue(shapes, known, typed.value, { tokens, from: at + 1, text });
    if ('problem' in taken) return { kind: 'invalid', problem: taken.problem };
    at += taken.used;
    const { name } = known;
    if (known.shape.kind === 'list') {
      const values = lists.get(name) ?? [];
      values.push(String(taken.value));
      lists.set(name, values);
      flags[name] = values;
    } else if (taken.value === false) delete flags[name];
    else flags[name] = taken.value;
  }
  return { kind: 'read', flags, rest };
}

function asFlag(shapes: FlagShapes, token: Token): { name: string; value?: string } | undefined {
  if (token.quoted || token.mention !== undefined) return undefined;
  const match = /^(--|—|–)([a-z][\w-]*)(?:[:=](.*))?$/is.exec(token.text);
  if (match === null) return undefined;
  const [, dashes, typed = '', value] = match;
  const name = typed.toLowerCase();
  if (dashes !== '--' && name !== 'help' && findFlag(shapes, name) === undefined) return undefined;
  // `--severity: major` has its value behind it.
  const isEmpty = value === undefined || (value === '' && token.text.endsWith(':'));
  return isEmpty ? { name } : { name, value };
}

function findFlag(shapes: FlagShapes, typed: string): KnownFlag | undefined {
  for (const [name, shape] of Object.entries(shapes)) {
    if ([name, ...(shape.aliases ?? [])].some(word => word.toLowerCase() === typed)) return { name, shape };
  }
  return undefined;
}

/** What follows a flag: the words of the line from `from` on. A line may have thousands of flags, so it is never copied. */
interface Behind {
  readonly tokens: readonly Token[];
  readonly from: number;
  readonly text: string;
}

type Taken = { value: string | boolean; used: number } | { problem: string };

function takeValue(shapes: FlagShapes, { name, shape }: KnownFlag, given: string | undefined, behind: Behind): Taken {
  if (shape.kind === 'switch') return takeSwitch(name, given);
  const missing = { problem: `--${name} needs a value${shape.hint ? `: ${shape.hint}` : ''}.` };
  const { tokens, from, text } = behind;
  const next = tokens[from];
  if (given === undefined) {
    const isMissing =
      next === undefined || next.text === '' || next.text === '--' || asFlag(shapes, next) !== undefined;
    if (isMissing) return missing;
    if (shape.kind !== 'phrase' || next.quoted) return { value: next.text, used: 1 };
  } else {
    const flag = tokens[from - 1];
    const isQuoted = flag !== undefined && !text.slice(flag.start, flag.end).endsWith(given);
    if (given.trim() === '') return missing;
    if (shape.kind !== 'phrase' || isQuoted) return { value: given, used: 0 };
  }
  const first = given === undefined ? [] : [given];
  const words = [...first, ...phraseWords(shapes, behind, given === undefined)];
  // Where none of the words is the phrase, the rest of the line is, so that the refusal shows what was typed.
  const length = shape.length?.(words) || words.length;
  return { value: words.slice(0, length).join(' '), used: length - first.length };
}

function takeSwitch(name: string, given: string | undefined): Taken {
  if (given === undefined || /^(true|yes|on|1)$/i.test(given)) return { value: true, used: 0 };
  if (/^(false|no|off|0)$/i.test(given)) return { value: false, used: 0 };
  return { problem: `--${name} takes no value: write it alone, or leave it out.` };
}

/** The words of which a phrase can be made: up to the next flag, quoted run, mention or end of the line. */
function phraseWords(shapes: FlagShapes, { tokens, from, text }: Behind, mayBeginLine: boolean): string[] {
  let end = from;
  for (let token = tokens[end]; token !== undefined; token = tokens[end]) {
    const before = end === from && mayBeginLine ? undefined : tokens[end - 1];
    const newLine = before !== undefined && text.slice(before.end, token.start).includes('\n');
    const ends =
      token.quoted || token.mention !== undefined || token.text === '--' || asFlag(shapes, token) !== undefined;
    if (ends || newLine) break;
    end += 1;
  }
  return tokens.slice(from, end).map(token => token.text);
}

/** The name of the flag that a misspelt one is near. */
function nearFlag(shapes: FlagShapes, typed: string): string | undefined {
  const words = Object.entries(shapes).flatMap(([name, shape]) =>
    [name, ...(shape.aliases ?? [])].map(word => ({ name, word })),
  );
  return nearest(typed, words, each => each.word)?.name;
}

function unknownFlag(shapes: FlagShapes, typed: string): Flags {
  const shown = `--${typed.slice(0, maxShown)}`;
  const near = nearFlag(shapes, typed);
  const all = Object.keys(shapes).map(name => `--${name}`);
  const way = near
    ? `Did you mean --${near}?`
    : all.length > 0
      ? `The flags here are ${all.join(', ')}.`
      : 'There are none here.';
  return { kind: 'invalid', problem: `There is no flag ${shown} (put it in quotes if it is text). ${way}` };
}
