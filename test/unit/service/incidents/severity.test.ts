import { expect, test } from 'vitest';
import { defaultOptions } from '../../../../src/service/call/options.ts';
import { checkSeverities, toSeverity } from '../../../../src/service/incidents/severity.ts';

test.each([
  ['', 'pending'],
  ['minor', 'minor'],
  [' Major ', 'major'],
  ['severity-critical', 'critical'],
  ['Pending', 'pending'],
])('%j is the severity %s', (name, label) => {
  expect(toSeverity(name, defaultOptions.severities).label).toBe(label);
});

test('where there is no pending, the first is used when none is named', () => {
  const severities = [
    { label: 'SEV-2', level: 2 },
    { label: 'SEV-1', level: 1 },
  ];
  expect(toSeverity('', severities).label).toBe('SEV-2');
  expect(toSeverity('', [...severities, { label: 'Pending', level: -1 }]).label).toBe('Pending');
});

test('an unknown severity is refused in the words that clients look for', () => {
  expect(() => toSeverity('sev-99', defaultOptions.severities)).toThrow(
    'Severity.FindOne: not found: "sev-99" is none of pending, critical, major, minor',
  );
});

test.each([
  [[], 'SEVERITIES must name at least one severity'],
  [[''], 'none may be blank'],
  [['minor', 'Minor'], 'The severity "minor" is listed twice'],
])('the severities %j are no setting', (labels, words) => {
  expect(() => checkSeverities(labels.map(label => ({ label, level: 1 })))).toThrow(words);
});
