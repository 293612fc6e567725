import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chainsBegun } from '../../../../../src/bot/incident/state/call-store.ts';
import type { CallChain } from '../../../../../src/config/call-formats.ts';

const severities = ['pending', 'minor', 'major', 'critical'];
const labels = ['payments', 'mail', 'web'];
const target = { kind: 'group', handle: 'sre' } as const;
const chains: readonly CallChain[] = [
  ...severities.map(name => ({ at: 'severity', name, targets: [target] }) as const),
  ...labels.map(name => ({ at: 'label', name, targets: [target] }) as const),
];

const facts = fc.record({
  status: fc.constantFrom('active', 'resolved'),
  severity: fc.constantFrom(...severities, 'unheard of'),
  isDrill: fc.boolean(),
  labels: fc.subarray(labels),
});
type Facts = Parameters<typeof chainsBegun>[3];
const before = fc.option(facts, { nil: undefined });
const begun = (was: Facts | undefined, after: Facts) => chainsBegun(chains, severities, was, after);

test('neither a drill nor what is over begins a chain', () => {
  fc.assert(
    fc.property(before, facts, (was, after) => {
      if (after.isDrill || after.status === 'resolved') expect(begun(was, after)).toEqual([]);
    }),
  );
});

test('what does not change begins nothing', () => {
  fc.assert(
    fc.property(facts, each => {
      expect(begun(each, each)).toEqual([]);
    }),
  );
});

test('a chain that begins fits the incident as it is', () => {
  fc.assert(
    fc.property(before, facts, (was, after) => {
      for (const { at, name } of begun(was, after))
        expect(at === 'severity' ? [after.severity] : after.labels).toContain(name);
    }),
  );
});

test('a lower severity begins nothing, and a higher one its own chain alone', () => {
  fc.assert(
    fc.property(facts, facts, (was, after) => {
      const [from, to] = [was, after].map(each => severities.indexOf(each.severity));
      const real = { ...was, isDrill: false };
      const found = begun(real, { ...after, isDrill: false, status: 'active', labels: real.labels });
      expect(found.map(each => each.name)).toEqual((to ?? 0) > (from ?? 0) ? [after.severity] : []);
    }),
  );
});

test('a declaration begins each chain that fits', () => {
  fc.assert(
    fc.property(facts, each => {
      const found = begun(undefined, { ...each, isDrill: false, status: 'active' });
      const fitting = [
        ...severities.filter(name => name === each.severity),
        ...labels.filter(name => each.labels.includes(name)),
      ];
      expect(found.map(({ name }) => name)).toEqual(fitting);
    }),
  );
});

test('names are compared without regard to case', () => {
  const after = { status: 'active', severity: 'Critical', isDrill: false, labels: ['PAYMENTS'] };
  expect(begun(undefined, after).map(each => each.name)).toEqual(['critical', 'payments']);
});
