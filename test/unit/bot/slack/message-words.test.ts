import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { IncidentDeps } from '../../../../src/bot/incident/acts/intent-kind.ts';
import { messageText } from '../../../../src/bot/incident/notes/message-note.ts';
import { withLabels } from '../../../../src/bot/people/mentions.ts';
import { toSourceMessage } from '../../../../src/bot/slack/source-message.ts';
import { toPlainText } from '../../../../src/bot/text/words.ts';
import { isLong } from '../../../support/length.ts';
import { drawMessage } from '../../../support/messages/drawn-message.ts';
import { generatedMessage } from '../../../support/messages/generated-message.ts';
import { messageShapes } from '../../../support/messages/message-shapes.ts';
import { recentShapes } from '../../../support/messages/recent-shapes.ts';
import { anna } from '../../../support/person.ts';

/** Where the names are known that the page knows too. */
const names = {
  people: { find: async (id: string) => ({ ...anna, userId: id, name: id === 'U1' ? 'bob' : 'amy' }) },
  channels: { look: async () => ({ name: 'general', isPrivate: false }) },
  slack: { groups: { handles: async () => new Map([['S1', 'sre']]) }, identity: { botUserId: 'UBOT' } },
};

const toMessage = (message: object) => toSourceMessage('C1', { ts: '1.000001', ...message });

async function readMessage(message: object): Promise<string> {
  return toPlainText(await withLabels(names, toMessage(message).text));
}

test.each(recentShapes.map(each => [each.kind, each] as const))(
  '%s: the note has the words that people read of it, and no other',
  async (_, { message, shown }) => {
    const note = await messageText(names as unknown as IncidentDeps, toMessage(message));
    const toWords = (text: string) =>
      text.replace(/^File: /gm, '').match(/https?:\/\/[^\s()]+|[\p{L}\p{N}✓✗]+/gu) ?? [];
    expect(toWords(note), note).toEqual(toWords(shown));
  },
);

const address = /\b(?:https?:\/\/|mailto:)[^\s()|]+/g;

/** The words of a text, in order, and the addresses in it, each once. */
function wordsIn(text: string) {
  const addresses = (text.match(address) ?? []).map(each => new URL(each).href.replace(/\/$/, ''));
  // A list’s numbers are drawn by the browser.
  const words = text
    .replace(address, ' ')
    .replace(/^[ >]*\d+\. /gm, '')
    .match(/[\p{L}\p{N}]+/gu);
  return { words: [...(words ?? [])], addresses: [...new Set(addresses)].toSorted() };
}

async function expectSame(message: object) {
  const [note, page] = [await readMessage(message), await drawMessage({ ...message })];
  expect(wordsIn(note), `${JSON.stringify(message)}\n--- note\n${note}\n--- page\n${page}`).toEqual(wordsIn(page));
}

test.each(messageShapes)('%s: the note has the words that the page shows, once, in order', async (_, message) => {
  await expectSame(message);
  expect(JSON.stringify(await readMessage(message))).not.toMatch(/never shown|hidden value|no preview/);
});

test('so it is for any message', async () => {
  const seed = 20_261_125;
  await fc.assert(fc.asyncProperty(generatedMessage, expectSame), { numRuns: isLong ? 10_000 : 1000, seed });
});

test('the tests that follow in this process have no browser', async () => {
  await drawMessage({ text: 'over' });
  expect(['document', 'location'].filter(name => name in globalThis)).toEqual([]);
});
