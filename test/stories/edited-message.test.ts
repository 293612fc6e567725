import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Delivery } from '../../playground/fake-slack/fake-slack.ts';
import { splitNoteBody } from '../../src/contract/note-forms.ts';
import { notesOf, openIncident } from '../support/incident-room.ts';
import { openOutage } from '../support/outage-room.ts';
import { openInstalledSlack, openWorkplace } from '../support/workplace.ts';

async function openRoom(options: Parameters<typeof openIncident>[0] = {}) {
  const incident = await openIncident(options);
  const { place, alice, home } = incident;
  return {
    ...incident,
    /** Mentions the bot with these words, and yields the message. */
    ask: async (words: string) => {
      const message = alice.mention(home, words);
      await place.quiet();
      return message;
    },
    /** Changes the words after the mention, and yields what alice reads last. */
    edit: async (message: ReturnType<typeof alice.mention>, words: string) => {
      alice.editMention(message, words);
      await place.quiet();
      return place.lastRead(alice, home.id);
    },
    notes: async () => (await notesOf(place, '1')).map(note => splitNoteBody(note.body).text),
    titles: async () => {
      const { incidentPreviews } = await place.api.IncidentsService.QueryIncidentPreviews({ query: {} });
      return incidentPreviews.map(each => each.title).toSorted();
    },
  };
}

test.each([
  ['HTTP', false],
  ['a socket', true],
])('over %s, a declaration that is edited is not made twice, and the new one is offered', async (_how, socketMode) => {
  const { ask, edit, titles, press, last } = await openRoom({ socketMode });
  const message = await ask('declare Dsik is full --now');
  const answer = await edit(message, 'declare Disk is full --now');
  expect(answer).toContain('I had already run that command');
  expect(answer).toMatch(/You typed: .*declare Disk is full --now/);
  expect(await titles()).toEqual(['Checkout answers 500', 'Dsik is full']);
  const offer = last();
  await press(offer, 'Run the new one');
  await press(offer, 'Run the new one');
  expect(await titles()).toEqual(['Checkout answers 500', 'Disk is full', 'Dsik is full']);
});

test('a note follows its message: corrected in place, with its own author and time, as often as it is edited', async () => {
  const { place, ask, edit, notes, alice, wait, act } = await openRoom();
  const message = await ask('note rolled bakc to v41');
  const [before] = await notesOf(place, '1');
  wait(3);
  expect(await edit(message, 'note rolled back to v41')).toContain(
    'You changed the note of incident 1 to “rolled back to v41”.',
  );
  const [after] = await notesOf(place, '1');
  expect(after).toMatchObject({
    activityItemID: before?.activityItemID,
    eventTime: before?.eventTime,
    body: 'rolled back to v41\n\n— alice in Slack',
  });
  await edit(message, 'note rolled back to v40 --at 10m ago');
  const moved = await notesOf(place, '1');
  expect(moved.map(note => splitNoteBody(note.body).text)).toEqual(['rolled back to v40']);
  const asked = Date.parse(before?.eventTime ?? '');
  expect(asked - Date.parse(moved[0]?.eventTime ?? '')).toBe(10 * 60_000);

  expect(await edit(message, 'note add')).toContain('The note is empty.');
  expect(await edit(message, 'note elsewhere --incident 2')).toContain('I had already run that command');
  expect(await edit(message, 'task add rolled back')).toContain('[Run the new one]');
  await act(() => alice.editMessage(message, 'never mind'));
  expect(await notes()).toEqual(['rolled back to v40']);
});

test('a note that was removed, or never added, is not corrected, and the person hears so', async () => {
  const { ask, edit, press, last, notes } = await openRoom();
  const message = await ask('note one');
  await press(last(), 'Undo');
  expect(await edit(message, 'note two')).toContain('I could not change the note of incident 1 to “two”.');
  expect(await notes()).toEqual([]);
  const typo = await ask('nte three');
  expect(await edit(typo, 'note three')).toContain('[Run the new one]');
  await press(last(), 'Run the new one');
  expect(await notes()).toEqual(['three']);
});

test('words that are no command any more leave everything as it is', async () => {
  const { ask, edit, notes } = await openRoom();
  const message = await ask('note one');
  expect(await edit(message, 'thx')).not.toContain('[Run');
  expect(await notes()).toEqual(['one']);
});

test('a guest’s edit is judged like their command', async () => {
  const { place, gus, home, notes, act } = await openRoom();
  const message = gus.mention(home, 'note one');
  await place.quiet();
  await act(() => gus.editMention(message, 'note two'));
  expect(place.lastRead(gus, home.id)).toContain('You are a guest');
  expect(await notes()).toEqual([]);
});

test('an edit after a restart finds the note too', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'muster-edited-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const clock = () => new Date('2026-11-20T12:15:00Z');
  const slack = await openInstalledSlack(clock);
  const databaseFile = join(folder, 'muster.db');
  const first = await openRoom({ databaseFile, slack, clock });
  const message = await first.ask('note one');
  await first.place[Symbol.asyncDispose]();
  const place = await openWorkplace({ databaseFile, slack, clock });
  first.alice.editMention(message, 'note two');
  await place.quiet();
  expect((await notesOf(place, '1')).map(note => splitNoteBody(note.body).text)).toEqual(['two']);
});

test('an edit that comes before the note is on the timeline is made after it', async () => {
  const { place, alice, type, goAway, comeBack, room, timeline, reads, act } = await openOutage();
  await type('/incident declare Disk is full --now');
  const home = room();
  goAway();
  const message = alice.mention(home.id, 'note oen');
  await place.quiet();
  await act(() => alice.editMention(message, 'note one'));
  expect(reads(alice, home.name)).toContain('I’ll change the note of incident 1 to “one” as soon as');
  await comeBack();
  const notes = (await timeline()).filter(item => item.activityKind === 'userNote');
  expect(notes.map(note => splitNoteBody(note.body).text)).toEqual(['one']);
});

/** The last event of that kind that Slack sent. */
function lastMention(deliveries: readonly Delivery[], pattern: RegExp): Delivery {
  const found = deliveries.findLast(each => each.kind === 'event' && pattern.test(each.body));
  if (!found) throw new Error('There was no such event');
  return found;
}

test('an edit that Slack delivers again is answered once, and an older edit changes nothing any more', async () => {
  const { place, slack, ask, edit, notes, reads } = await openRoom();
  const message = await ask('note one');
  await edit(message, 'note two');
  const older = lastMention(slack.deliveries, /"edited"/);
  await edit(message, 'note three');
  const read = place.reads(place.slack.person('alice'), message.channel).length;
  await slack.redeliver(older);
  await slack.redeliver(lastMention(slack.deliveries, /three/));
  await place.quiet();
  expect(await notes()).toEqual(['three']);
  expect(place.reads(place.slack.person('alice'), message.channel)).toHaveLength(read);
  expect(reads()).toContain('“three”');
});

test('a mention that comes after its own edit is the same message, and the edited words count', async () => {
  const { place, slack, alice, home, titles } = await openRoom();
  const mention = `<@${slack.botUserId}>`;
  const event = {
    type: 'app_mention',
    user: alice.id,
    channel: home.id,
    ts: `${Date.parse('2026-11-20T12:14:59Z') / 1000}.000100`,
  };
  const send = async (id: string, more: object) => {
    const body = JSON.stringify({
      type: 'event_callback',
      event_id: id,
      team_id: slack.teamId,
      event: { ...event, ...more },
    });
    await slack.deliver({ body, contentType: 'application/json' });
    await place.quiet();
  };
  const edited = { text: `${mention} declare Disk is full --now`, edited: { user: alice.id, ts: '1795000000.000100' } };
  await send('Ev2', edited);
  await send('Ev2', edited);
  await send('Ev1', { text: `${mention} declare Dsik is full --now` });
  expect(await titles()).toEqual(['Checkout answers 500', 'Disk is full']);
  expect(place.reads(alice, home.id).join('\n')).not.toContain('You edited');
});

test('an edit of an old message is offered: nobody knows any more whether it was done', async () => {
  const { place, ask, edit, wait, titles } = await openRoom();
  const message = await ask('declare Dsik is full --now');
  wait(3 * 24 * 60);
  await edit(message, 'declare Disk is full --now');
  expect(place.troubles).toEqual([]);
  expect(await titles()).toEqual(['Checkout answers 500', 'Dsik is full']);
});

test('a note whose incident was picked afterwards follows its message too', async () => {
  const { place, alice, general, slack, type, last, press, reads, edit } = await openRoom();
  alice.invite(general, slack.botUserId);
  const bodies = async (incidentID: string) =>
    (await notesOf(place, incidentID)).map(note => splitNoteBody(note.body).text);
  const message = alice.mention(general, 'note rolled bakc');
  await place.quiet();
  expect(reads(alice, general)).toContain('Which one do you mean with /note add?');
  await press(last(alice, general), '#1 Checkout answers 500');
  expect(await bodies('1')).toEqual(['rolled bakc']);
  await edit(message, 'note rolled back');
  expect(reads(alice, general)).toContain('You changed the note of incident 1 to “rolled back”.');
  expect(await bodies('1')).toEqual(['rolled back']);

  // An edit that was offered as a new command, and done, follows the next edit.
  await type('/incident declare Mail is late --now', alice, general);
  await edit(message, 'note rolled back --incident 2');
  await press(last(alice, general), 'Run the new one');
  await edit(message, 'note rolled back at last --incident 2');
  expect([await bodies('1'), await bodies('2')]).toEqual([['rolled back'], ['rolled back at last']]);
});
