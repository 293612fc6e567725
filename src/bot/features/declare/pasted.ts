import { toOneLine } from '../../text/words.ts';

/** Most characters of a title that is taken from a message or an alert. */
const maxTaken = 150;

/** What an alert begins with: `[FIRING:1]`, `[Alerting]`, `[P1]`. */
const bracket = /^\s*\[[\p{L}][\p{L}\d _-]{0,20}(?::\s?\d+)?\]\s*/u;

/** A web address, as people and tools write it. */
const address = /<?(https?:\/\/[^\s<>|]+?)(?:\|[^>]*)?(?:>|(?=[.,;:!?)\]]*(?:\s|$)))/i;

/** Pasted words as the parts of a declaration. `link` is an address in them, `rest` what the title lacks; `""` for none. */
export interface Pasted {
  readonly title: string;
  readonly link: string;
  readonly rest: string;
}

/** Whether a text is no title as it stands: it has several lines, or begins as alerts do. */
export function isPasted(text: string): boolean {
  return bracket.test(text) || text.trim().includes('\n');
}

/** Reads pasted words, such as an alert: the title is their first line, without its bracket and addresses. */
export function readPasted(text: string): Pasted {
  const lines = text.split('\n').filter(line => line.trim() !== '');
  const [first = '', ...others] = lines;
  const link = address.exec(text)?.[1] ?? '';
  const bare = toOneLine(first.replace(bracket, '').replaceAll(new RegExp(address, 'gi'), ' '));
  const whole = bare || toOneLine(first);
  const title = cutTitle(whole);
  return { title, link, rest: (title === whole ? others : lines).join('\n').trim() };
}

function cutTitle(whole: string): string {
  const letters = Array.from(whole);
  return letters.length <= maxTaken ? whole : `${letters.slice(0, maxTaken - 1).join('')}…`;
}
