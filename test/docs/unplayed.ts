import { readFileSync } from 'node:fs';
import { sources } from '../support/imports.ts';
import { type CodeText, literalsOf } from './literals.ts';

const root = new URL('../../', import.meta.url);

/** Folders of the bot whose sentences people in Slack do not read: logs, answers to machines, tables. */
const forNobody = /^src\/bot\/(?:slack|sync|journal|schema|inbox\/room-events|manifest|incident\/api-watch)\b/;
/** What stands before a text for a programmer or for the log. */
const beforeProgrammers = /(?:Error\(|log\.\w+\([^;]*|fatal\([^;]*|summary: )$/;
/** A sentence: it begins and ends as one, or is followed by another. */
const sentence = /^(?:[A-Z“:*][^\n]*[.?!:…]$|.*[.?!] [A-Z`])/s;

/** A word for the value of an expression: of `toMrkdwn(task.text, 60)`, the text. */
function valueName(expression: string): string {
  const names = [...expression.matchAll(/(?<![\w'])[a-z]\w*(?![\w(])/gi)].map(([name]) => name);
  return names.at(-1) ?? '…';
}

const withoutSigns = (text: string) =>
  text
    .replaceAll(/[*_`~]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();

function toWords({ pieces, values }: CodeText): string {
  return pieces.map((piece, at) => `${piece}${at < values.length ? `‹${valueName(values[at] ?? '')}›` : ''}`).join('');
}

/** The sentences in the code of the bot with a part that none of `played` has, by file. */
export function findUnplayed(played: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const all = withoutSigns(played.join('\n'));
  const isPlayed = ({ pieces }: CodeText) =>
    pieces.map(withoutSigns).every(piece => piece.length < 8 || all.includes(piece));
  const found = sources
    .filter(path => path.startsWith('src/bot/') && !forNobody.test(path))
    .toSorted()
    .map(path => {
      const texts = literalsOf(readFileSync(new URL(path, root), 'utf8')).filter(
        each =>
          !beforeProgrammers.test(each.before) &&
          each.pieces.join('').includes(' ') &&
          sentence.test(each.pieces.join('x')) &&
          !isPlayed(each),
      );
      return [path, [...new Set(texts.map(each => toWords(each).replaceAll('\n', ' ')))]] as const;
    });
  return new Map(found.filter(([, words]) => words.length > 0));
}
