import fc from 'fast-check';
import { expect, test } from 'vitest';
import { gravestOf, toSeverity } from '../../../../../src/bot/alerts/read/severity.ts';

const four = ['pending', 'minor', 'major', 'critical'];
const six = ['unknown', 'sev5', 'sev4', 'sev3', 'sev2', 'sev1'];
const two = ['open', 'bad'];
const none = new Map<string, string>();

test.each([
  // The team's own words, and ranks.
  ['critical', 'critical', 'sev1', 'bad'],
  ['Minor', 'minor', 'sev5', 'bad'],
  ['sev2', 'major', 'sev2', 'open'],
  ['P1', 'critical', 'sev1', 'bad'],
  ['p3', 'minor', 'sev3', 'bad'],
  ['P0', 'critical', 'sev1', 'bad'],
  ['P4', 'minor', 'sev4', 'bad'],
  ['P9', 'minor', 'sev5', 'bad'],
  // Words of tools.
  ['page', 'critical', 'sev1', 'bad'],
  ['FATAL', 'critical', 'sev1', 'bad'],
  [' emergency ', 'critical', 'sev1', 'bad'],
  ['disaster', 'critical', 'sev1', 'bad'],
  ['error', 'major', 'sev2', 'bad'],
  ['High', 'major', 'sev2', 'bad'],
  ['warning', 'minor', 'sev3', 'bad'],
  ['average', 'minor', 'sev3', 'bad'],
  ['moderate', 'minor', 'sev3', 'bad'],
  ['info', 'minor', 'sev5', 'bad'],
  ['low', 'minor', 'sev5', 'bad'],
  ['notice', 'minor', 'sev5', 'bad'],
  // Not known.
  ['', 'pending', 'unknown', 'open'],
  ['none', 'pending', 'unknown', 'open'],
  ['constructor', 'pending', 'unknown', 'open'],
  ['very bad indeed', 'pending', 'unknown', 'open'],
  ['🔥', 'pending', 'unknown', 'open'],
])('%j is %s of four severities, %s of six, %s of two', (said, ofFour, ofSix, ofTwo) => {
  const of = (team: readonly string[]) => toSeverity(team, none, said);
  // “sev2” is a rank that a team with one severity and “not yet known” does not have.
  expect([of(four), of(six), said === 'sev2' ? 'open' : of(two)]).toEqual([ofFour, ofSix, ofTwo]);
});

test('the map of the source comes first, without regard to case', () => {
  const words = new Map([
    ['page', 'minor'],
    ['critical', 'MAJOR'],
    ['', 'major'],
    ['gone', 'Sev9'],
  ]);
  const of = (said: string) => toSeverity(four, words, said);
  expect(['PAGE', 'Critical', '', 'fatal'].map(of)).toEqual(['minor', 'major', 'major', 'critical']);
});

test('whatever a tool says, it becomes a severity of the team', () => {
  const teams = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 20 }), {
    ...{ minLength: 2, maxLength: 6 },
    selector: each => each.trim().toLowerCase(),
  });
  fc.assert(
    fc.property(teams, fc.oneof(fc.string(), fc.constantFrom('page', 'P2', 'warning', 'low')), (team, said) => {
      expect(team).toContain(toSeverity(team, none, said));
    }),
  );
});

test('the gravest of usual words is found; ranks count as words do', () => {
  expect(gravestOf(['warning', 'P1', 'info'])).toBe('P1');
  expect(gravestOf(['odd', 'info'])).toBe('info');
  expect(gravestOf(['odd', 'other'])).toBe('odd');
  expect(gravestOf([])).toBe('');
});
