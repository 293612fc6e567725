import type { Finding } from './finding.ts';

/** Digits of cards in their usual groups: four fours, or four, six and the rest. */
const cardShape =
  /(?<![\w.+/=-])(?:\d{4}(?<gap>[ -]?)\d{4}\k<gap>\d{4}\k<gap>\d{4}|3\d{3}(?<other>[ -]?)\d{6}\k<other>\d{4,5})(?!\w|[-.]\d)/g;

/** Beginnings and lengths that networks issue: Visa, Mastercard, American Express, Diners Club, Discover, JCB, UnionPay. */
const issued =
  /^(?:4\d{15}|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}|3(?:0[0-5]|[689]\d)\d{11}|6(?:011|4[4-9]\d|5\d\d)\d{12}|35(?:2[89]|[3-8]\d)\d{12}|62\d{14})$/;

/** Whether the last digit is the check digit of those before it (ISO/IEC 7812-1, annex B). */
function isLuhn(digits: string): boolean {
  let sum = 0;
  for (let place = 0; place < digits.length; place += 1) {
    const digit = Number(digits[digits.length - 1 - place]) * (place % 2 === 1 ? 2 : 1);
    sum += digit > 9 ? digit - 9 : digit;
  }
  return sum % 10 === 0;
}

/** The length of an IBAN by its country (ISO 13616, SWIFT's registry). */
const ibanLengths = new Map(
  `AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 FI18 FK18
  FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21
  LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24
  SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30`
    .split(/\s+/)
    .map(entry => [entry.slice(0, 2), Number(entry.slice(2))]),
);

const ibanBegin = /(?<![A-Za-z0-9])[A-Z]{2}\d{2}/g;

/** What a sign of an IBAN counts: digits themselves, letters from 10 on; undefined for any other sign. */
function ibanValue(code: number): number | undefined {
  if (code >= 48 && code <= 57) return code - 48;
  return code >= 65 && code <= 90 ? code - 55 : undefined;
}

/** Whether the account number fits its check digits (ISO 13616: the remainder by 97 is 1). */
function isIban(values: readonly number[]): boolean {
  let remainder = 0;
  for (let place = 0; place < values.length; place += 1) {
    const value = values[(place + 4) % values.length] ?? 0;
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder === 1;
}

/** The card numbers and IBANs, by their check digits. */
export function* findNumbers(text: string): Generator<Finding> {
  for (const { 0: whole, index } of text.matchAll(cardShape)) {
    const digits = whole.replace(/[ -]/g, '');
    if (issued.test(digits) && isLuhn(digits)) yield { kind: 'card number', start: index, end: index + whole.length };
  }
  for (const { 0: begin, index } of text.matchAll(ibanBegin)) {
    const found = readIban(text, index, ibanLengths.get(begin.slice(0, 2)));
    if (found !== undefined) yield { kind: 'IBAN', start: index, end: found };
  }
}

/** Where the IBAN ends that begins at `start`; undefined when there is none. Single spaces may stand between its signs. */
function readIban(text: string, start: number, length: number | undefined): number | undefined {
  if (length === undefined) return undefined;
  const values: number[] = [];
  let at = start;
  while (values.length < length) {
    if (text[at] === ' ' && text[at - 1] !== ' ') at += 1;
    const value = ibanValue(text.charCodeAt(at));
    if (value === undefined) return undefined;
    values.push(value);
    at += 1;
  }
  return /[A-Za-z0-9]/.test(text[at] ?? '') || !isIban(values) ? undefined : at;
}
