import { join } from 'node:path';
import { expect, test } from 'vitest';
import { renderMessage } from '../../playground/fake-slack/fake-slack.ts';
import { splitNoteBody } from '../../src/contract/note-forms.ts';
import { openDashboards } from '../support/dashboard-room.ts';
import { openFolder } from '../support/folder.ts';
import { holdNext } from '../support/held-call.ts';
import { declareNow, type IncidentOptions, lastMessage, notesOf, openIncident } from '../support/incident-room.ts';
import { openOutage } from '../support/outage-room.ts';
import { phrases } from '../support/phrases.ts';
import { openRestarts } from '../support/restarts.ts';
import { tablesWith } from '../support/stored-words.ts';

// Put together here, so that no file holds what looks like a real key.
const key = ['AKIA', 'Q3EGRIZ5', 'TLMNOP7X'].join('');
const other = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_');
const redacted = '[redacted: AWS key]';

async function openGuarded(options: IncidentOptions = {}) {
  const file = join(await openFolder(), 'muster.db');
  const room = await openIncident({ ...options, databaseFile: file });
  const { place, slack, home, bob } = room;
  return {
    ...room,
    /** The tables in which the key stands. */
    tables: (words = key) => tablesWith(file, words),
    tasks: async () => (await room.incident()).taskList.tasks.map(task => task.text),
    /** Whether the key stands in the log, in what bob reads, or in what the bot told Slack. */
    isTold: (words = key) =>
      [...place.logged, ...place.reads(bob, home.id), ...slack.calls.map(call => JSON.stringify(call))]
        .join('\n')
        .includes(words),
  };
}

test('a note that holds a key is asked about, alone and in private, and stored as its author chooses', async () => {
  const { type, press, last, notes, tables, isTold, alice, home, place, wait } = await openGuarded();
  const question = await type(`/note add rotated ${key} on the bastion`);
  expect(question).toContain(`I did not add “rotated ${redacted} on the bastion” to the timeline of incident 1 yet:`);
  expect(question).toContain('it seems to contain a secret (AWS key).');
  expect(last().ephemeralTo).toBe(alice.id);
  expect(await notes()).toEqual([]);
  expect(tables()).toEqual(['bot_draft']);
  expect(isTold()).toBe(false);

  const asked = last();
  wait(5);
  await press(asked, 'Redact');
  expect(renderMessage(place.slack, asked)).toContain(
    `:memo: You noted on ${phrases.added}: “rotated ${redacted} on the bastion”.`,
  );
  expect(await notes()).toEqual([`rotated ${redacted} on the bastion`]);
  expect((await notesOf(place, '1'))[0]?.eventTime).toBe('2026-11-20T12:15:00Z');
  expect(tables()).toEqual([]);
  expect(isTold()).toBe(false);

  await type(`/note add kept ${key}`);
  await press(last(), 'Keep');
  expect(await notes()).toEqual([`rotated ${redacted} on the bastion`, `kept ${key}`]);
  expect(tables()).not.toContain('bot_draft');

  await type(`/note add dropped ${other}`);
  const third = last();
  await press(third, 'Drop');
  expect(renderMessage(place.slack, third)).toContain('Dropped. I will not add “dropped [redacted: GitHub token]”');
  expect(await notes()).toHaveLength(2);
  expect(tables(other)).toEqual([]);
  expect(isTold(other)).toBe(false);
  expect(lastMessage(place, alice, home)).toBe(third);
});

test('a press of Drop while the answer to Redact is on its way does not say that it was dropped', async () => {
  const { type, last, notes, alice, place, slack, home, act } = await openGuarded();
  await type(`/note add ${key}`);
  const asked = last();
  const late = holdNext(slack, 'response_url');
  await alice.press(asked, 'Redact');
  await late.begun;
  await alice.press(asked, 'Drop');
  await act(() => late.go());
  expect(await notes()).toEqual([redacted]);
  expect(place.reads(alice, home.id).join('\n')).not.toContain('Dropped.');
});

test('a mention and its edit are examined too', async () => {
  const { place, press, last, notes, alice, home, tables, act } = await openGuarded();
  const message = alice.mention(home, `note the pin of the vault: password is hunter${22}x`);
  await place.quiet();
  expect(renderMessage(place.slack, last())).toContain('it seems to contain a secret (password).');
  await press(last(), 'Redact');
  expect(await notes()).toEqual(['the pin of the vault: password is [redacted: password]']);

  await act(() => alice.editMention(message, `note it was ${key}`));
  expect(await notes()).toEqual(['the pin of the vault: password is [redacted: password]']);
  expect(tables()).toEqual(['bot_draft']);
  await press(last(), 'Redact');
  expect(await notes()).toEqual([`it was ${redacted}`]);
});

test('the words beside a dashboard’s link are examined before the room reads them', async () => {
  const { place, says, press, last, publicLines } = await openDashboards();
  const address = 'https://muster.example.com/d/nginx/x?orgId=1&from=1763640000000&to=1763643600000';
  expect(await says(`/dash link ${address} log in with ${key}`)).toContain('it seems to contain a secret (AWS key).');
  await press(last(), 'Redact');
  expect((await notesOf(place, '1'))[0]?.body).toContain(`log in with ${redacted}`);
  expect(publicLines().join('\n')).toContain(`log in with ${redacted}`);
  expect(publicLines().join('\n')).not.toContain(key);
});

test('the question outlasts a restart', async () => {
  const { open, alice, general, database } = await openRestarts();
  const place = await open();
  await alice.command(general, '/incident declare Disk is full --now');
  await place.quiet();
  await alice.command(general, `/note add ${key} --incident 1`);
  await place.quiet();
  const asked = lastMessage(place, alice, general);
  await place[Symbol.asyncDispose]();

  const next = await open();
  await alice.press(asked, 'Redact');
  await next.quiet();
  expect((await notesOf(next, '1')).map(note => splitNoteBody(note.body).text)).toEqual([redacted]);
  const drafts = await database.as<{ bot_draft: { content: string } }>().selectFrom('bot_draft').selectAll().execute();
  expect(drafts).toEqual([]);
});

test('what waits for the API is what was chosen', async () => {
  const { alice, place, general, type, press, goAway, comeBack } = await openOutage();
  const room = await declareNow(place, alice, general, 'Disk is full');
  goAway();
  await type(`/note add ${key}`, alice, room.id);
  expect(await press('Redact', alice, room.id)).toContain(`Saved. I’ll add “${redacted}”`);
  await comeBack();
  expect((await notesOf(place, '1')).map(note => splitNoteBody(note.body).text)).toEqual([redacted]);
});
