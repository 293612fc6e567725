import { expect, test } from 'vitest';
import { toWindow, withMessage, withNewer, withOlder, without } from '../../../../playground/page/message-window.ts';
import type { MessageView } from '../../../../playground/workspace/protocol.ts';
import { messageFacts as message, messagesOf as range } from '../../../support/page-facts.ts';

const full = toWindow({ messages: range(1001, 1200), hasOlder: true });
const ends = ({ messages }: { readonly messages: readonly MessageView[] }) => [messages[0]?.ts, messages.at(-1)?.ts];

test('a full window follows new messages while its reader is at the end', () => {
  const next = withMessage(full, message(1201), true);
  expect(ends(next)).toEqual(['1002.000000', '1201.000000']);
  expect(next).toMatchObject({ hasOlder: true, hasNewer: false });
});

test('a full window keeps what its reader looks at, and knows that there is more', () => {
  const next = withMessage(full, message(1201), false);
  expect(next.messages).toBe(full.messages);
  expect(next.hasNewer).toBe(true);
  expect(withMessage(next, message(1202), true).messages).toBe(full.messages);
});

test('a message that changes is replaced, one between others is put in, and one that goes is taken out', () => {
  const few = toWindow({ messages: [message(1001), message(1003)], hasOlder: false });
  const texts = (window: typeof few) => window.messages.map(each => `${each.ts.slice(0, 4)}${each.text}`);
  expect(texts(withMessage(few, message(1003, { text: ' edited' }), true))).toEqual(['1001', '1003 edited']);
  expect(texts(withMessage(few, message(1002), true))).toEqual(['1001', '1002', '1003']);
  expect(texts(without(few, '1001.000000'))).toEqual(['1003']);
});

test('pages before and after move the window, and it never holds more than its capacity', () => {
  const older = withOlder(full, { messages: range(901, 1000), hasOlder: true });
  expect(ends(older)).toEqual(['901.000000', '1100.000000']);
  expect(older).toMatchObject({ hasOlder: true, hasNewer: true });
  const newer = withNewer(older, { messages: range(1101, 1200), hasOlder: true, hasNewer: false });
  expect(ends(newer)).toEqual(['1001.000000', '1200.000000']);
  expect(newer).toMatchObject({ hasOlder: true, hasNewer: false });
});
