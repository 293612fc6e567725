import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import wordListPath from 'word-list';
import { allVerbs } from '../../../../src/bot/dispatch/feature/feature.ts';
import { features } from '../../../../src/bot/features.ts';
import { flagText, parseCommand } from '../../../../src/bot/grammar/grammar.ts';
import { parseTime } from '../../../../src/bot/text/times.ts';
import { leadingTime } from '../../../../src/bot/text/times-in-text.ts';
import { readList } from '../../../support/table.ts';

const verbs = allVerbs(features);
const dictionary = readFileSync(wordListPath, 'utf8').split('\n').filter(Boolean);
const zones = [
  ...['Europe/Berlin', 'Europe/London', 'America/New_York', 'America/St_Johns', 'America/Sao_Paulo'],
  ...['Asia/Kolkata', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'Pacific/Chatham', 'Africa/Nairobi'],
];
/** First words that are zones, days, months, numbers or parts of a time somewhere. */
const tempting = [
  ...readList(`
    bot | get | east | west | eat | art | cat | mon | sun | sat | wed | may | mar | dec | a | p | second
  `),
  ...readList(`
    GET | CAT | EAST | May | Sun | the | on | at | in | back | before | last | next | half | noon | met
  `),
  ...readList(`
    404 | 5 nodes | 2 replicas | 10 of 12 pods | 99.9 % | 3/4 | +5 | -1 | v2.30 | 8.8.8.8 | db-1 | est | utc-based
  `),
];

/** The clock of a zone as `Intl` shows it, which knows nothing of the reader of times. */
function wallOf(at: number, timeZone: string) {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'medium',
    hourCycle: 'h23',
  }).formatToParts(at);
  const part = (type: string) => parts.find(each => each.type === type)?.value ?? '';
  const [hour, minute] = [Number(part('hour')), part('minute')];
  const half = hour < 12 ? 'am' : 'pm';
  return {
    day: `${part('year')}-${part('month')}-${part('day')}`,
    hh: part('hour'),
    hour,
    h12: hour % 12 || 12,
    half,
    minute,
    second: part('second'),
  };
}

const hours = ['twelve', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven'];

/** Every way in which a person of a zone writes a moment of the last hours. */
const forms: readonly ((at: number, now: number, timeZone: string) => string | undefined)[] = [
  (at, _now, zone) => `${wallOf(at, zone).hh}:${wallOf(at, zone).minute}`,
  (at, _now, zone) => `${wallOf(at, zone).hour}:${wallOf(at, zone).minute}`,
  (at, _now, zone) => `${wallOf(at, zone).hh}:${wallOf(at, zone).minute}:${wallOf(at, zone).second}`,
  (at, _now, zone) => `${wallOf(at, zone).h12}:${wallOf(at, zone).minute}${wallOf(at, zone).half}`,
  (at, _now, zone) => `${wallOf(at, zone).h12}:${wallOf(at, zone).minute} ${wallOf(at, zone).half[0]}.m.`,
  (at, _now, zone) => `${wallOf(at, zone).h12}.${wallOf(at, zone).minute}${wallOf(at, zone).half}`,
  (at, _now, zone) =>
    wallOf(at, zone).minute === '00' ? `${wallOf(at, zone).h12} ${wallOf(at, zone).half}` : undefined,
  (at, now, zone) =>
    wallOf(at, zone).minute === '30' && !isTwice(at, now, zone)
      ? `half past ${hours[wallOf(at, zone).h12 % 12]}`
      : undefined,
  (at, _now, zone) => `${wallOf(at, zone).hh}h${wallOf(at, zone).minute}`,
  (at, _now, zone) => `${wallOf(at, zone).hour}h${wallOf(at, zone).minute}`,
  (at, _now, zone) => `${wallOf(at, zone).hh}${wallOf(at, zone).minute}h`,
  (at, _now, zone) => `at ${wallOf(at, zone).hh}:${wallOf(at, zone).minute}`,
  (at, _now, zone) => `${wallOf(at, zone).day} ${wallOf(at, zone).hh}:${wallOf(at, zone).minute}`,
  at => `${wallOf(at, 'UTC').hh}:${wallOf(at, 'UTC').minute}Z`,
  at => `${wallOf(at, 'UTC').hh}:${wallOf(at, 'UTC').minute} UTC`,
  at => `${wallOf(at, 'UTC').hh}${wallOf(at, 'UTC').minute}Z`,
  at => `${wallOf(at, 'Asia/Tokyo').hh}:${wallOf(at, 'Asia/Tokyo').minute} JST`,
  at => `${wallOf(at, 'Asia/Kolkata').hh}:${wallOf(at, 'Asia/Kolkata').minute} +05:30`,
  at => `${wallOf(at, 'America/New_York').hh}:${wallOf(at, 'America/New_York').minute} America/New_York`,
  at => new Date(at).toISOString(),
  (at, now) => `${(now - at) / 60_000} min ago`,
  (at, now) => `${Math.floor((now - at) / 3_600_000)}h ${((now - at) / 60_000) % 60}m ago`,
  (at, now, zone) =>
    wallOf(at, zone).day === dayBefore(wallOf(now, zone).day)
      ? `yesterday ${wallOf(at, zone).hh}:${wallOf(at, zone).minute}`
      : undefined,
];

/** Whether a clock of twelve hours shows both alike, as where one hour was skipped between. Then the present is meant. */
function isTwice(at: number, now: number, timeZone: string): boolean {
  const [one, other] = [wallOf(at, timeZone), wallOf(now, timeZone)];
  return one.h12 === other.h12 && one.minute === other.minute;
}

/** The day before one (YYYY-MM-DD): 24 hours before a moment may be another day, where the clock changes. */
function dayBefore(day: string): string {
  return new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10);
}

const changes = readList(`
  2026-03-29T01:00Z | 2026-10-25T01:00Z | 2026-03-08T07:00Z | 2026-11-01T06:00Z | 2026-04-04T15:00Z
`);
const moments = fc.oneof(
  fc.integer({ min: Date.UTC(2025, 0), max: Date.UTC(2027, 0) }),
  fc
    .tuple(fc.constantFrom(...changes), fc.integer({ min: -3, max: 15 }))
    .map(([at, hour]) => Date.parse(at) + hour * 3_600_000),
);
const typed = fc
  .record({
    moment: moments,
    ago: fc.integer({ min: 1, max: 11 * 60 }),
    zone: fc.constantFrom(...zones),
    form: fc.constantFrom(...forms),
  })
  .map(({ moment, ago, zone, form }) => {
    const now = Math.floor(moment / 60_000) * 60_000;
    const at = now - ago * 60_000;
    return { now, zone, time: form(at, now, zone) ?? `${ago} minutes ago`, at };
  });
const anyWord = fc.nat(dictionary.length - 1).map(at => dictionary[at] ?? '');
const sentence = fc
  .tuple(fc.oneof(fc.constantFrom(...tempting), anyWord), fc.array(anyWord, { minLength: 1, maxLength: 5 }))
  .map(([first, rest]) => [first, ...rest].join(' '))
  .filter(words => !isTimeItself(words));

/** The words that are a time's behind a time, whoever writes them. */
function isTimeItself(words: string): boolean {
  return /^(?:today|yesterday|tomorrow|tonight|ago|noon|midday|midnight|uhr|hrs|(?:sun|mon|tues|wednes|thurs|fri|satur)day)\b/i.test(
    words,
  );
}

function readLine(text: string) {
  const parsed = parseCommand(verbs, { root: 'note', commandRoot: 'muster', text });
  if (parsed.kind !== 'verb') throw new Error(`“${text}” is no note`);
  return { time: flagText(parsed.args, 'at'), sentence: parsed.args.text };
}

/** Where a line has its time. */
const places = fc.constantFrom<(time: string, words: string) => string>(
  (time, words) => `add --at ${time} ${words}`,
  (time, words) => `add --at=${time} ${words}`,
  (time, words) => `add ${words} --at ${time}`,
  (time, words) => `add ${words} --at="${time}"`,
);
const numRuns = 5000;

test('what is stored is what was typed without the time, and the moment is the one that was meant, or it is asked', () => {
  let asked = 0;
  fc.assert(
    fc.property(typed, sentence, places, ({ now, zone, time, at }, words, place) => {
      const line = place(time, words);
      expect(readLine(line)).toEqual({ time, sentence: words });
      const read = parseTime(time, { now: new Date(now), timeZone: zone });
      if ('problem' in read) throw new Error(read.problem);
      if (read.doubt === '') expect(new Date(read.at).toISOString()).toBe(new Date(at).toISOString());
      else asked += 1;
    }),
    { numRuns },
  );
  // A reader that always asks proves nothing.
  expect(asked / numRuns).toBeLessThan(0.4);
});

test('the head of a note is its time, whole, or none, and the note keeps every word', () => {
  fc.assert(
    fc.property(typed, sentence, fc.boolean(), ({ now, zone, time, at }, words, hasTime) => {
      const reading = { now: new Date(now), timeZone: zone };
      const text = hasTime ? `${time} ${words}` : words;
      expect(readLine(`add ${text}`)).toEqual({ time: undefined, sentence: text });
      const lead = leadingTime(text, reading);
      if (!hasTime) {
        expect(lead).toBeUndefined();
        return;
      }
      // A time of a day before may lie too far back for a head without a day.
      if (lead === undefined) {
        expect('doubt' in parseTime(time, reading)).toBe(true);
        return;
      }
      expect(lead.typed).toBe(time.replace(/\.$/, ''));
      const read = parseTime(lead.typed, reading);
      if ('problem' in read) throw new Error(read.problem);
      if (read.doubt === '' && lead.doubt === '') expect(read.at.toISOString()).toBe(new Date(at).toISOString());
    }),
    { numRuns },
  );
});

test('the first words of 3,000 sentences are never eaten, behind a time or without one', () => {
  const step = Math.floor(dictionary.length / 3000);
  const reading = { now: new Date('2026-11-20T15:30:00Z'), timeZone: 'Europe/Berlin' };
  const eaten = dictionary
    .filter((_word, at) => at % step === 0)
    .concat(
      dictionary.filter(word => word.length <= 3),
      tempting,
    )
    .flatMap(word => [word, word.charAt(0).toUpperCase() + word.slice(1), word.toUpperCase()])
    // In upper case, these are zones, and nothing but a zone is meant by them as likely.
    .filter(word => !isTimeItself(word) && !/^(?:EST|ET|PHT|PST)$/.test(word))
    .filter(word => {
      const words = `${word} service is slow`;
      const behind = ['14:05', '2:05 pm', '20m ago', 'yesterday 23:50'].some(
        time => readLine(`add --at ${time} ${words}`).sentence !== words,
      );
      return behind || leadingTime(words, reading) !== undefined;
    });
  expect(eaten).toEqual([]);
});
