import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Finding, failing, ok, unknown } from '../../../../src/bot/doctor/finding.ts';
import { summarize, toReportText } from '../../../../src/bot/doctor/report.ts';

const event = (name: string) => unknown(`event ${name}`, 'None has arrived yet.', 'what needs it', 'Subscribe.');
const command = (name: string) => unknown(`command ${name}`, 'None has arrived yet.', 'what needs it', 'Type it.');

test('events and commands that have not arrived are one line each, with every name', () => {
  const names = Array.from({ length: 24 }, (_, at) => `kind_${at}`);
  const text = toReportText([...names.map(event), command('/task'), command('/note'), ok('clock', 'It is right.')]);
  expect(text.match(/^unknown/gm)).toHaveLength(2);
  expect(text).toMatch(/^unknown {2}events: 24 events have not arrived yet/m);
  expect(text).toMatch(/^unknown {2}commands: 2 commands have not arrived lately.*\/task, \/note/m);
  for (const name of names) expect(text).toContain(name);
});

test('one event is one event', () => {
  expect(toReportText([event('app_mention')])).toContain('1 event has not arrived yet');
});

test('the summary names what fails, and counts what it does not name', () => {
  const fails = (count: number) => Array.from({ length: count }, (_, at) => failing(`part ${at}`, 'x', 'y', 'z'));
  expect(summarize([ok('a', '')])).toBe('No problems found: 1 checks passed.');
  expect(summarize([...fails(1), ok('a', '')])).toContain('1 check fails (part 0);');
  expect(summarize(fails(7))).toContain('7 checks fail (part 0, part 1, part 2, part 3, part 4 and 2 more);');
});

test('no line of a report is lost, whatever was found', () => {
  const subject = fc.oneof(fc.constantFrom('clock', 'pages', 'scope x'), fc.constantFrom('event a', 'command /b'));
  const state = fc.constantFrom<Finding['state']>('ok', 'failing', 'unknown');
  const findings = fc.array(
    fc.record({ subject, state, found: fc.constant('Found.'), stops: fc.constant(''), fix: fc.constant('') }),
  );
  fc.assert(
    fc.property(findings, all => {
      const text = toReportText(all);
      for (const each of all) expect(text).toContain(each.subject.replace(/^(event|command) /, ''));
      expect(text.trimEnd().endsWith(summarize(all))).toBe(true);
    }),
  );
});
