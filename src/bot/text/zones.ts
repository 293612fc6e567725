/** Zones of time that people write behind a clock time. */
import { tzOffset } from '@date-fns/tz/tzOffset';

/** How a zone's clocks stand. */
export interface Zone {
  /** As a sentence names it; `""` for the zone of the person. */
  readonly name: string;
  /** Minutes east of UTC at a moment. */
  readonly offsetAt: (date: Date) => number;
  /** Why the clocks of the zone's place may show another time at a moment: a sentence, or `""`. */
  readonly doubtAt: (date: Date) => string;
}

/** Minutes east of UTC of an IANA zone at a moment; 0 for a zone that this system does not have. */
function offsetAt(timeZone: string, date: Date): number {
  const offset = tzOffset(timeZone, date);
  return Number.isNaN(offset) ? 0 : offset;
}

/** The zone of an IANA name, as a person's own. */
export function ownZone(timeZone: string): Zone {
  return { name: '', offsetAt: date => offsetAt(timeZone, date), doubtAt: () => '' };
}

/** A meaning of a name: a place, the minutes east of UTC (`undefined`: as its clocks stand), and the zones of those who mean it, if not all do. */
interface Meaning {
  readonly place: string;
  readonly minutes: number | undefined;
  readonly home: RegExp | undefined;
}

const us = '^(?:America/(?!Havana)|US/|Canada/)';
const lisbon = '^(?:Europe/Lisbon|Atlantic/)';
/** Upper-case names: name, place, minutes east of UTC, whose it is. */
const named = meaningsOf(`
  CET Europe/Berlin 60 | CEST Europe/Berlin 120 | EET Europe/Helsinki 120 | EEST Europe/Helsinki 180
  MSK Europe/Moscow 180 | TRT Europe/Istanbul 180 | GMT UTC 0 | GMT Europe/London 0 ^Europe/London$
  BST Europe/London 60 ^Europe/ | BST Asia/Dhaka 360 ^Asia/Dhaka$ | IST Asia/Kolkata 330 ^Asia/(?:Kolkata|Calcutta)$
  IST Asia/Jerusalem 120 ^Asia/(?:Jerusalem|Tel_Aviv)$ | IST Europe/Dublin 60 ^Europe/Dublin$
  ET America/New_York - ${us} | CT America/Chicago - ${us} | MT America/Denver - ${us} | PT America/Los_Angeles - ${us}
  EST America/New_York -300 | EST Australia/Sydney 600 ^Australia/ | EDT America/New_York -240 | EDT Australia/Sydney 660 ^Australia/
  CST America/Chicago -360 ${us} | CST America/Havana -300 ^America/Havana$ | CST Australia/Adelaide 570 ^Australia/
  CST Asia/Shanghai 480 ^Asia/(?:Shanghai|Chongqing|Macau|Taipei)$
  CDT America/Chicago -300 ${us} | CDT America/Havana -240 ^America/Havana$ | MST America/Denver -420
  MST America/Phoenix -420 ^(?:America/Phoenix|US/Arizona)$ | MDT America/Denver -360 | PST America/Los_Angeles -480
  PST Asia/Manila 480 ^Asia/Manila$ | PDT America/Los_Angeles -420 | AKST America/Anchorage -540 | AKDT America/Anchorage -480
  HST Pacific/Honolulu -600 | AST America/Halifax -240 ${us} | AST Asia/Riyadh 180 ^Asia/ | ADT America/Halifax -180
  NST America/St_Johns -210 | NDT America/St_Johns -150 | BRT America/Sao_Paulo -180 | SAST Africa/Johannesburg 120
  GST Asia/Dubai 240 | PKT Asia/Karachi 300 | NPT Asia/Kathmandu 345 | ICT Asia/Bangkok 420 | WIB Asia/Jakarta 420
  SGT Asia/Singapore 480 | HKT Asia/Hong_Kong 480 | PHT Asia/Manila 480 | JST Asia/Tokyo 540 | KST Asia/Seoul 540
  AWST Australia/Perth 480 | ACST Australia/Adelaide 570 | ACDT Australia/Adelaide 630 | AEST Australia/Sydney 600
  AEDT Australia/Sydney 660 | NZST Pacific/Auckland 720 | NZDT Pacific/Auckland 780
  IRST Asia/Tehran 210 | MMT Asia/Yangon 390 | MYT Asia/Kuala_Lumpur 480 | UZT Asia/Tashkent 300 | WITA Asia/Makassar 480
  CLT America/Santiago -240 | CLST America/Santiago -180 | UYT America/Montevideo -180`);
/** Names that are words too. Before other words they are words; at the end of a line they are a zone of those who live there. */
const words = meaningsOf(`
  WET Europe/Lisbon 0 ${lisbon} | WEST Europe/Lisbon 60 ${lisbon} | EAT Africa/Nairobi 180 ^Africa/ | CAT Africa/Harare 120 ^Africa/
  WAT Africa/Lagos 60 ^Africa/ | GET Asia/Tbilisi 240 ^Asia/Tbilisi$ | PET America/Lima -300 ^America/Lima$
  ART America/Argentina/Buenos_Aires -180 ^America/(?:Argentina|Buenos_Aires)`);

function meaningsOf(table: string): ReadonlyMap<string, readonly Meaning[]> {
  const rows = table
    .trim()
    .split(/ \| |\n/)
    .map(row => row.trim().split(' '));
  const meanings = rows.map(([name = '', place = '', minutes = '', home]) => {
    const at = minutes === '-' ? undefined : Number(minutes);
    return { name, place, minutes: at, home: home === undefined ? undefined : new RegExp(home) };
  });
  return Map.groupBy(meanings, each => each.name);
}

const offsetPattern = /^(?:utc|gmt)?(?:([+-])(\d{1,2})(?::?([0-5]\d))?)?$/i;
/** The farthest that clocks stand from UTC, in minutes. */
const farthest = 14 * 60;

/** Whether a word behind a clock time (upper and lower case as typed) is its zone. `isLast`: no other word follows. */
export function isZone(text: string, isLast: boolean): boolean {
  if (text.includes('/')) return !Number.isNaN(tzOffset(text, new Date(0)));
  if (named.has(text) || (isLast && words.has(text))) return true;
  return /^z$/i.test(text) || minutesOf(text) !== undefined;
}

function minutesOf(text: string): number | undefined {
  const [whole, sign, hours = 0, minutes = 0] = offsetPattern.exec(text) ?? [];
  const total = Number(hours) * 60 + Number(minutes);
  return !whole || total > farthest ? undefined : sign === '-' ? -total : total;
}

/** The zone that a word means (`isZone`) where a person of `timeZone` writes it; undefined where it has several meanings. */
export function readZone(text: string, timeZone: string): Zone | undefined {
  if (text.includes('/')) return { ...ownZone(text), name: text };
  const meanings = named.get(text) ?? words.get(text);
  if (meanings === undefined) {
    const minutes = minutesOf(text) ?? 0;
    return { name: minutes === 0 ? 'UTC' : text, offsetAt: () => minutes, doubtAt: () => '' };
  }
  const meaning = meanings.find(each => each.home?.test(timeZone)) ?? meanings.find(each => !each.home);
  if (meaning === undefined) return undefined;
  const { place, minutes } = meaning;
  const clocks = (date: Date) => offsetAt(place, date);
  if (minutes === undefined) return { name: text, offsetAt: clocks, doubtAt: () => '' };
  const city = place.replace(/^.*\//, '').replaceAll('_', ' ');
  return {
    name: text,
    offsetAt: () => minutes,
    doubtAt: date => (clocks(date) === minutes ? '' : `Clocks in ${city} did not show ${text} then, but another time.`),
  };
}
