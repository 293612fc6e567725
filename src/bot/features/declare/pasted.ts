import { toOneLine } from '../../text/words.ts';

/** Most characters of a title that is taken from a message or an alert. */
const maxTaken = 150;

/** What an alert begins with: `[FIRING:1]`, `[Alerting]`, `[P1]`. */
const bracket = /^\s*\[[\p{L}][\p{L}\d _-]{0,20}(?::\s?\d+)?\]\s*/u;

/** A sign before the words: `:rotating_light:`, 🚨. */
const sign = /^\s*(?::[a-z0-9_+-]+:|\p{Extended_Pictographic}\uFE0F?)+\s*/iu;

/** A mark of bold, italic or struck words: one that touches a word and stands in none. */
const mark = /(?<![\p{L}\p{N}])[*_~]+(?=\S)|(?<=\S)[*_~]+(?![\p{L}\p{N}])/gu;

/** A web address, as people and tools write it. */
const address = /<?(https?:\/\/[^\s<>|]+?)(?:\|[^>]*)?(?:>|(?=[.,;:!?)\]]*(?:\s|$)))/i;

/** Pasted words as the parts of a declaration. `link` is an address in them, `rest` what the title lacks; `""` for none. */
interface Pasted {
  readonly title: string;
  readonly link: string;
  readonly rest: string;
}

/** Whether a text is no title as it stands: it has several lines, or begins as alerts do. */
export function isPasted(text: string): boolean {
  return bracket.test(text) || text.trim().includes('\n');
}

/** Reads pasted words, such as an alert: the title is their first line, without its signs, bracket, marks and addresses. */
export function readPasted(text: string): Pasted {
  const lines = text.split('\n').filter(line => line.trim() !== '');
  const [first = '', ...others] = lines;
  const link = address.exec(text)?.[1] ?? '';
  const words = first.replace(mark, '').replace(sign, '').replace(bracket, '').replace(sign, '');
  const bare = toOneLine(words.replaceAll(new RegExp(address, 'gi'), ' '));
  const whole = bare || toOneLine(first);
  const title = cutTitle(whole);
  return { title, link, rest: (title === whole ? others : lines).join('\n').trim() };
}

function cutTitle(whole: string): string {
  const letters = Array.from(whole);
  return letters.length <= maxTaken ? whole : `${letters.slice(0, maxTaken - 1).join('')}…`;
}
