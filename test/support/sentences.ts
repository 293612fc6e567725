import fc from 'fast-check';
import type { VerbShape } from '../../src/bot/grammar/verb.ts';
import { normalize } from '../../src/bot/grammar/words.ts';
import { readList } from './table.ts';

/** Words that begin sentences and are verbs, inflections, near-misses, nouns, or words of other bots to a grammar. */
const tempting = readList(`
  logged | added | adds | posted | shows | listed | list | show | view | help | ls | log | write | record | node
  nodes | none | not | note | notes | lost | last | ad | and | timeline | task | role | incident | declare
  resolved | closed | done | delete | remove | edit | undo | update | page | escalate | ack | join | assign
  handover | please | thanks | muster | ? | --force | — | -- | @bob | #ops | "quoted" | it’s | summary:
  post-mortem | retro | archive | severity | title | drill | at | on | in | ListedIncident | LOGGED | /task
`);
const plain = [
  ...readList(`
    db-3 | replica | the | is | down | again | after | 14:05 | 40% | pods | rolled | back | v41 | was | by
  `),
  ...readList(`
    add | list | incident | task | -- | --dry-run | https://g.example/d/a?x=1 | a/b | (maybe) | don’t | 7 | INC-7
  `),
];

/** Ordinary sentences of two to nine words, with a first word that tempts a grammar. They have no encoding of Slack's in them. */
export const sentences = fc
  .tuple(fc.constantFrom(...tempting), fc.array(fc.constantFrom(...plain), { minLength: 1, maxLength: 8 }))
  .map(([first, rest]) => [first, ...rest].join(' '))
  .filter(text => isSentence(text));

/** Leaves out the lines that are commands to a reader too: `list 7`, `help add`, `edit 7`, `-- add x`. */
function isSentence(text: string): boolean {
  const [first = '', second = '', ...more] = text.toLowerCase().split(' ');
  if (first === '--') return false;
  return more.length > 0 || !(/^(#?\d+|inc-\d+|add|list)$/.test(second) || first === 'add');
}

/** Lines that are nearly commands: a verb of another noun than notes with one slip, and what may follow it. */
export function nearMissLines(verbs: readonly VerbShape[]) {
  const known = new Set(
    verbs
      // “summaries” is a word of its own, and no slip in “summarise”.
      .flatMap(each => [
        each.verb,
        each.verb.replace(/y$/, 'ies'),
        ...(each.aliases ?? []),
        ...(each.beforeNumber ?? []),
      ])
      .concat(verbs.map(each => each.noun))
      .map(normalize),
  );
  const near = verbs
    .filter(each => each.noun !== 'note')
    .flatMap(({ noun, verb, aliases = [] }) =>
      [verb, ...aliases].flatMap(name => nearMissesOf(name).map(word => ({ noun, word }))),
    )
    .filter(({ word }) => word.length > 3 && !known.has(normalize(word)));
  const behind = fc.constantFrom('', '1', 'the thing', '@bob commander');
  return fc.tuple(fc.constantFrom(...near), behind).map(([{ noun, word }, rest]) => ({
    noun,
    text: `${word} ${rest}`.trim(),
  }));
}

/** Words that are one slip off a known one: a letter dropped, doubled, swapped or replaced. */
function nearMissesOf(word: string): readonly string[] {
  const found = new Set<string>();
  for (let at = 0; at < word.length; at += 1) {
    found.add(word.slice(0, at) + word.slice(at + 1));
    found.add(word.slice(0, at + 1) + word.slice(at));
    found.add(`${word.slice(0, at)}${word.charAt(at + 1)}${word.charAt(at)}${word.slice(at + 2)}`);
    found.add(`${word.slice(0, at)}q${word.slice(at + 1)}`);
  }
  found.delete(word);
  return [...found];
}
