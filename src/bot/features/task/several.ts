import { type Args, parseCommand } from '../../grammar/grammar.ts';
import type { VerbShape } from '../../grammar/verb.ts';
import { type MentionedPeople, readMentions } from '../../people/mentions.ts';
import { escapeMrkdwn } from '../../text/words.ts';

/** Tasks that are added at once, at most. */
export const mostAtOnce = 20;

/** How a line of a list begins: `- `, `• `, `1. `, `2) `, `[ ] `. */
const bullet = /^\s*(?:[-*•‣–—+]\s+|\d{1,2}[.)]\s+|\[[ xX]?\]\s*)+/u;

/** How a line begins that is cited, or code. */
const cited = /^\s*(?:>|```)/;

/**
 * The tasks that a text of several lines asks for: one for each line. In a list, a line without a sign goes on with the one above it, and
 * a line with a colon above the list stands before each of them. A text of one line is one task, and so is one with cited lines or, where
 * no line has a sign, with an indent.
 */
export function splitTasks(text: string): readonly string[] {
  const lines = text.split('\n').filter(line => line.trim() !== '');
  if (lines.length < 2 || lines.some(line => cited.test(line))) return [text.trim()];
  if (!lines.some(line => bullet.test(line))) {
    const isIndented = lines.slice(1).some(line => /^\s/.test(line));
    return isIndented ? [text.trim()] : lines.map(line => line.trim());
  }
  const tasks: string[] = [];
  let [above, isListed] = ['', false];
  for (const line of lines) {
    const words = line.replace(bullet, '').trim();
    const isItem = words !== line.trim();
    if (words === '') continue;
    if (isItem) tasks.push(`${above}${words}`);
    else if (words.endsWith(':')) above = `${words} `;
    else if (isListed) tasks.push(`${tasks.pop() ?? ''} ${words}`);
    else tasks.push(words);
    isListed = isItem || (isListed && !words.endsWith(':'));
  }
  return tasks;
}

const shape: VerbShape = { noun: 'task', verb: 'add', begins: 'prose', usage: '', summary: '' };

/** Whom each of these lines of a command names for it, read as if it stood alone. */
export function readEach(lines: readonly string[], { mentions }: Pick<Args, 'mentions'>, me: string): TaskLine[] {
  const waiting = [...mentions];
  return lines.map(line => {
    const text = `add ${asSent(line, waiting)}`;
    const parsed = parseCommand([shape], {
      root: shape.noun,
      commandRoot: '',
      text,
      as: { noun: 'task', verb: 'add', from: 1 },
    });
    const read = parsed.kind === 'verb' ? readMentions(parsed.args, me, { onlyAt: true }) : undefined;
    return { ...(read ?? { text: line, ids: [], problem: '' }), whole: line };
  });
}

/** A task as one line asks for it; `whole` is the line. */
export type TaskLine = MentionedPeople & { readonly whole: string };

/** The line as Slack sent it: its names are mentions again. Takes them out of `waiting`. */
function asSent(line: string, waiting: Args['mentions'][number][]): string {
  let sent = '';
  let rest = line;
  for (let next = waiting[0]; next && rest.includes(next.shown); next = waiting[0]) {
    const at = rest.indexOf(next.shown);
    const target = next.kind === 'user' ? `@${next.id}` : `!subteam^${next.id}`;
    sent += `${escapeMrkdwn(rest.slice(0, at))}<${target}|${escapeMrkdwn(next.shown.replace(/^@/, '').replaceAll('|', ' '))}>`;
    rest = rest.slice(at + next.shown.length);
    waiting.shift();
  }
  return sent + escapeMrkdwn(rest);
}
