import { expect, test } from 'vitest';
import { toObjects } from '../../../../playground/fake-slack/protocol/json.ts';
import { isLong } from '../../../../playground/page/blocks/fold-length.ts';
import { choiceOf, fromOptions, fromPeople, matching } from '../../../../playground/page/blocks/select-options.ts';

const option = (text: string, description?: string) => ({
  text: { type: 'plain_text', text },
  value: text.toLowerCase(),
  ...(description === undefined ? {} : { description: { type: 'plain_text', text: description } }),
});

test('options keep their groups, and fit what is typed in text or description', () => {
  const label = { type: 'plain_text', text: 'Shop' };
  const choices = fromOptions({
    option_groups: [{ label, options: [option('Checkout', 'Cards and cash'), option('Cart')] }],
  });
  expect(choices.map(choice => [choice.group, choice.key])).toEqual([
    ['Shop', 'checkout'],
    ['Shop', 'cart'],
  ]);
  expect(matching(choices, 'CASH cards').map(choice => choice.key)).toEqual(['checkout']);
  expect(matching(choices, '')).toEqual(choices);
});

test('a chosen option that is no longer offered keeps its name', () => {
  const gone = choiceOf(option('Gone'), fromOptions({ options: [option('Here')] }));
  expect([gone.text, toObjects([gone.value])[0]?.value]).toEqual(['Gone', 'gone']);
});

test('a menu of people offers everybody who is active', () => {
  const person = { tz: 'UTC', kind: 'member', isDeactivated: false } as const;
  const people = [
    { ...person, id: 'U1', name: 'ana', realName: 'Ana Ruiz' },
    { ...person, id: 'U2', name: 'old', realName: 'Old', isDeactivated: true },
    { ...person, id: 'U3', name: 'muster', realName: '', kind: 'app' as const },
  ];
  const rest = { team: 'T', me: 'U1', app: 'U3', groups: [], channels: [], commands: [], shortcuts: [], views: [] };
  expect(fromPeople({ ...rest, people }).map(choice => [choice.text, choice.description, choice.value])).toEqual([
    ['Ana Ruiz', '@ana', 'U1'],
    ['muster', '@muster (app)', 'U3'],
  ]);
});

test('a text is folded by its length or by its lines', () => {
  expect([isLong('x'.repeat(1201)), isLong('x\n'.repeat(17)), isLong('x'.repeat(1200))]).toEqual([true, true, false]);
});
