import { createHash } from 'node:crypto';
import { toNormalForm } from '../../normal-form.ts';

/** The most bytes of a slug. */
const maxSlug = 50;

const words: Readonly<Record<string, string>> = { ' ': '-', '&': 'and', '@': 'at', '©': 'c', '®': 'r', '™': 'tm' };

/** Latin letters that are not a plain letter with an accent, in ASCII. */
export const latinSpellings = spell('ß æ œ ø đ ð ħ ł ŋ þ ŧ ı ĳ ĸ ŀ ŉ ə ƒ', 'ss ae oe o d d h l n p t i ij k l n e f');
const cyrillic = spell(
  'а б в г д е ж з и й к л м н о п р с т у ф х ц ч ш щ ъ ы ь э ю я ё є і ї ґ',
  'a b v g d e zh z i j k l m n o p r s t u f h c ch sh sch - y - je ju ja jo e i i g',
);
const hebrew = spell(
  'א ב ג ד ה ו ז ח ט י ך כ ל ם מ ן נ ס ע ף פ ץ צ ק ר ש ת',
  'a b g d h v z h t i k k l m m n n s e p p c c q r w t',
);
const spellings: Readonly<Record<string, string>> = { ...words, ...latinSpellings, ü: 'ue', ...cyrillic, ...hebrew };

const kept = /^[a-z0-9_-]$/;
const dropped = /^(?:[,"'?.()\r\n\0]|[\u0300-\u036f])$/u;
const accented = /^\p{Script=Latin}$/u;

/**
 * The readable part of a dashboard's or folder's address: `CPU & Memory` is `cpu-and-memory`. At most {@link maxSlug}
 * characters of `a-z`, `0-9`, `_` and `-`. A title that is too long, or leaves nothing, gets the UUID v5 of itself
 * (docs/api-rules.md C2, Slug). Accents are dropped from every Latin letter, not from those of a fixed table alone.
 */
export function toSlug(title: string): string {
  const slug = Array.from(toNormalForm(title.trim(), 'NFC').toLowerCase(), spellCharacter).join('');
  return slug === '' || slug.length > maxSlug ? uuidOf(title) : slug;
}

function spellCharacter(character: string): string {
  const spelled = Object.hasOwn(spellings, character) ? spellings[character] : undefined;
  if (spelled !== undefined) return spelled;
  if (kept.test(character)) return character;
  if (dropped.test(character)) return '';
  const base = accented.test(character) ? character.normalize('NFD').charAt(0) : '';
  if (kept.test(base)) return base;
  return Array.from(Buffer.from(character, 'utf8'), byte => byte.toString(16)).join('');
}

function spell(letters: string, spelled: string): Record<string, string> {
  const values = spelled.split(' ');
  return Object.fromEntries(letters.split(' ').map((letter, index) => [letter, values[index] ?? '']));
}

const objectIdentifiers = Buffer.from('6ba7b8129dad11d180b400c04fd430c8', 'hex');

/** UUID v5 in the OID namespace (RFC 9562, section 5.5). */
function uuidOf(name: string): string {
  const hash = createHash('sha1').update(objectIdentifiers).update(name, 'utf8').digest().subarray(0, 16);
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x50, 6);
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8);
  return hash.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
