import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toObjects } from '../../../../src/fake-slack/protocol/json.ts';
import { isLong } from '../../../../src/playground/page/blocks/fold-length.ts';
import { fromRichTextValue, toRichTextValue } from '../../../../src/playground/page/blocks/rich-text-value.ts';
import {
  choiceOf,
  fromOptions,
  fromWorkspace,
  matching,
} from '../../../../src/playground/page/blocks/select-options.ts';

const option = (text: string, description?: string) => ({
  text: { type: 'plain_text', text },
  value: text.toLowerCase(),
  ...(description === undefined ? {} : { description: { type: 'plain_text', text: description } }),
});

test('typed marks become styles, and come back as they were typed', () => {
  const typed = 'Ask *Ben* about `x < 1` & _now_ :fire:';
  const value = toRichTextValue(typed);
  expect(value).toEqual({
    type: 'rich_text',
    elements: [
      {
        type: 'rich_text_section',
        elements: [
          { type: 'text', text: 'Ask ' },
          { type: 'text', text: 'Ben', style: { bold: true } },
          { type: 'text', text: ' about ' },
          { type: 'text', text: 'x < 1', style: { code: true } },
          { type: 'text', text: ' & ' },
          { type: 'text', text: 'now', style: { italic: true } },
          { type: 'text', text: ' ' },
          { type: 'emoji', name: 'fire' },
        ],
      },
    ],
  });
  expect(fromRichTextValue(value)).toBe(typed);
});

test('typed text without marks is kept to the letter', () => {
  const bare = fc.string().map(text => text.replaceAll(/[*_~`>:]/g, ''));
  fc.assert(
    fc.property(bare, text => {
      expect(fromRichTextValue(toRichTextValue(text))).toBe(text);
    }),
  );
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

test('menus of people and channels offer what Slack’s would', () => {
  const person = { tz: 'UTC', kind: 'member', isDeactivated: false } as const;
  const channel = {
    isMember: true,
    isArchived: false,
    isShared: false,
    topic: '',
    purpose: '',
    members: [],
    bookmarks: [],
    pins: 0,
    readTs: '0',
    unread: 0,
    mentions: 0,
  } as const;
  const workspace = {
    team: 'T',
    me: 'U1',
    app: 'U0',
    people: [
      { ...person, id: 'U1', name: 'ana', realName: 'Ana Ruiz' },
      { ...person, id: 'U2', name: 'old', realName: 'Old', isDeactivated: true },
    ],
    groups: [],
    channels: [
      { ...channel, id: 'C1', name: 'general', kind: 'public' as const },
      { ...channel, id: 'C2', name: 'secret', kind: 'private' as const },
      { ...channel, id: 'C3', name: 'past', kind: 'public' as const, isArchived: true },
      { ...channel, id: 'C4', name: 'shared', kind: 'public' as const, isShared: true },
    ],
    commands: [],
    shortcuts: [],
    views: [],
  };
  const offered = (element: object) => fromWorkspace({ ...element }, workspace).map(choice => choice.key);
  expect(offered({ type: 'multi_users_select' })).toEqual(['U1']);
  expect(offered({ type: 'channels_select' })).toEqual(['C1', 'C4']);
  expect(offered({ type: 'conversations_select' })).toEqual(['C1', 'C2', 'C4']);
  expect(
    offered({
      type: 'conversations_select',
      filter: { include: ['private', 'public'], exclude_external_shared_channels: true },
    }),
  ).toEqual(['C1', 'C2']);
});

test('a text is folded by its length or by its lines', () => {
  expect([isLong('x'.repeat(1201)), isLong('x\n'.repeat(17)), isLong('x'.repeat(1200))]).toEqual([true, true, false]);
});
