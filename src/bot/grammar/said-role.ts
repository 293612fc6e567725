import type { Found } from './find-verb.ts';
import type { Token } from './tokens.ts';
import { type Vocabulary, verbIn } from './vocabulary.ts';

/** Words around a role that say nothing more. */
const has = '(?:(?:is|are|as|be|to be|becomes|will be|shall be|should be)(?: now)?|now)';
const the = '(?:the|our|a|an)';
/** Roles that every team knows by these names; others a team makes for itself. */
const role =
  '(?:(?:incident[ -]?)?(?:commander|lead|manager)|ic|investigator|observer|in (?:charge|command)|(?:incident[ -]?)?responder)';
const command =
  '(?:(?:takes|took|has|will take|is taking)(?: now)? (?:(?:the )?(?:command|lead)|over|charge)|leads|will lead|is leading)';
const given = new RegExp(
  `^(?:(?:${has} )?(?:${the} )?${role}|as (?:${the} )?[\\p{L}-]+|${the} (?:command|lead)|${command})$`,
  'iu',
);
/** A plain name needs a word between it and the role. */
const named = new RegExp(`^(?:${has} (?:${the} )?${role}|${command})$`, 'iu');
/** They stand for nobody whose name Slack could know, or begin a question. */
const nobody =
  /^(?:i|we|it|he|she|they|you|this|that|there|who|whos|what|which|nobody|noone|someone|somebody|anyone|anybody|everybody|everyone|is|are|the|a|an|my|our|not|please)$/i;
/** Words before a person that give. */
const gives = /^(?:let|give|have|make)$/i;

/** The first word of a line, its people included; `self` is the id of the bot, whose mention only calls it. */
export function withPeople(tokens: readonly Token[], first: number, self: string | undefined): number {
  let from = first;
  const isPerson = (at: number) => tokens[at]?.mention?.kind === 'user' && tokens[at]?.mention?.id !== self;
  while (from > 0 && isPerson(from - 1)) from -= 1;
  return from;
}

/** `@bob is commander`, `give @bob the lead`, `bob takes command`: a role for somebody, said as a sentence. `from` is its first word. */
export function saidRole(vocabulary: Vocabulary, tokens: readonly Token[], from: number): Found | undefined {
  const line = tokens.slice(from);
  const isGift = gives.test(line[0]?.text ?? '') && line[1]?.mention?.kind === 'user';
  const people = isGift ? line.slice(1) : line;
  const count = people.findIndex(token => token.mention?.kind !== 'user');
  const name = people[0]?.text ?? '';
  const words = people.slice(Math.max(count, 1));
  const isSaid = words.length > 0 && words.length < 7 && !words.some(token => token.quoted || token.mention);
  const shape = isSaid ? verbIn(vocabulary, 'role', 'assign')?.shape : undefined;
  const said = words
    .map(token => token.text)
    .join(' ')
    .replace(/(?<![.!,])[.!,]+$/, '')
    .replace(/,? (?:please|pls|thanks|now)$/i, '');
  const isPlain = count === 0 && !isGift && /^@?\p{L}[\p{L}.'’-]*$/u.test(name) && !nobody.test(name);
  const isRole = count > 0 ? given.test(said) : isPlain && named.test(said);
  return shape && isRole
    ? { kind: 'verb', hit: { shape, rank: 1 }, next: isGift ? from + 1 : from, isClear: true }
    : undefined;
}
