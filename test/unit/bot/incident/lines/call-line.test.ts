import fc from 'fast-check';
import { expect, test } from 'vitest';
import { callLine } from '../../../../../src/bot/incident/lines/call-line.ts';

type ShownCall = Parameters<typeof callLine>[0];
type Person = ShownCall['people'][number];

const asked = (id: string, more: Partial<Person> = {}): Person => ({
  ...{ user_id: id, step: 0, target: '@sre', answer: 'none', minutes: 0 },
  ...more,
});
const call = (people: readonly Person[], more: Partial<ShownCall> = {}): ShownCall => ({
  ...{ people, targets: [], step: 0, chain: '', state: 'open', caller: 'U1', why: '' },
  ...more,
});
const chain = (people: readonly Person[], more: Partial<ShownCall> = {}) =>
  call(people, {
    chain: 'severity critical',
    caller: '',
    targets: ['sre', 'leads', 'all'].map(handle => ({ kind: 'group', handle })),
    ...more,
  });

test.each([
  [call([asked('U2')]), '@sre (1): … <@U2> – by <@U1>'],
  [call([asked('U2'), asked('U3')]), '@sre (2): … <@U2> · … <@U3> – by <@U1>'],
  [call([asked('U2', { answer: 'coming', minutes: 5 })]), '@sre (1): ✓ <@U2> in 5 min – by <@U1>'],
  [call([asked('U2', { answer: 'there' })]), '@sre (1): ✓ <@U2> is here – by <@U1>'],
  [call([asked('U2', { answer: 'cannot' })]), '@sre (1): ✗ <@U2> – by <@U1>'],
  [call([asked('U2', { target: '' })]), '… <@U2> – by <@U1>'],
  [call([asked('U2'), asked('U3', { target: '@db' })]), '@sre (1): … <@U2>, @db (1): … <@U3> – by <@U1>'],
  [call([asked('U2')], { why: 'the disk\nis full' }), '@sre (1): … <@U2> – by <@U1>: the disk is full'],
  [chain([asked('U2')]), '@sre (1): … <@U2> – because its severity is critical'],
  [
    chain([asked('U2'), asked('U3', { step: 1, target: '@leads' })], { step: 1 }),
    '@sre (1): … <@U2> → @leads (1): … <@U3> – because its severity is critical',
  ],
  [chain([], { step: 0 }), '@sre (nobody new) – because its severity is critical'],
  [
    chain([asked('U3', { step: 1, target: '@leads' })], { step: 1, state: 'ended', chain: 'label pay: all' }),
    '@sre (nobody new) → @leads (1): … <@U3> · nobody comes – because it has the label pay: all',
  ],
])('a call %# reads as it stands', (shown, words) => {
  expect(callLine(shown)).toBe(`📟 *Called* ${words}`);
});

test('however many are called, the line fits into a message and counts those whom it does not name', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 300 }), fc.string({ maxLength: 3000 }), (count, why) => {
      const line = callLine(
        call(
          Array.from({ length: count }, (_, at) => asked(`U0000000${at}`)),
          { why },
        ),
      );
      expect(line.length).toBeLessThan(2900);
      expect(line).toContain(`(${count})`);
      expect(line.includes(`and ${count - 40} more`)).toBe(count > 40);
    }),
  );
});
