import type { Random } from '../../soak/simulate/random.ts';

const lower = 'abcdefghijklmnopqrstuvwxyz';
const digits = '0123456789';

/** Signs that formats are made of. */
export const alphabets = {
  lower,
  digits,
  upper: lower.toUpperCase(),
  hex: `${digits}abcdef`,
  alphanumeric: `${lower}${lower.toUpperCase()}${digits}`,
  base32: `${lower.toUpperCase()}234567`,
  base64: `${lower}${lower.toUpperCase()}${digits}+/`,
  base64url: `${lower}${lower.toUpperCase()}${digits}-_`,
} as const;

/** So many signs of an alphabet. */
export function signs(random: Random, alphabet: keyof typeof alphabets, size: number): string {
  const from = alphabets[alphabet];
  return Array.from({ length: size }, () => from[random.whole(0, from.length - 1)]).join('');
}

/** So many random bytes as base64 with its padding. */
export function base64(random: Random, bytes: number): string {
  return random.bytes(bytes).toString('base64');
}

/** The digit that completes a number by Luhn’s rule (ISO/IEC 7812-1, annex B). */
export function luhnDigit(body: string): string {
  const sum = [...body]
    .reverse()
    .map((digit, place) => (place % 2 === 0 ? Number(digit) * 2 : Number(digit)))
    .reduce((total, value) => total + (value > 9 ? value - 9 : value), 0);
  return String((10 - (sum % 10)) % 10);
}

/** An IBAN of a country with the account number given: its check digits come from ISO 13616. */
export function iban(country: string, account: string): string {
  const numbers = [...`${account}${country}00`].map(sign => Number.parseInt(sign, 36)).join('');
  const check = 98n - (BigInt(numbers) % 97n);
  return `${country}${String(check).padStart(2, '0')}${account}`;
}
