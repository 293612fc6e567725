import { expect, test } from 'vitest';
import { renderMessage } from '../../playground/fake-slack/fake-slack.ts';
import { noteBody } from '../../src/bot/incident/notes/notes.ts';
import { splitNoteBody } from '../../src/contract/note-forms.ts';
import { lastMessage, notesOf, openIncident } from '../support/incident-room.ts';

test('a form that was open for longer than its list can be replaced is answered with a list of its own', async () => {
  const clock = { now: new Date('2026-11-20T12:00:00Z') };
  const { place, slack, alice, home: room, act } = await openIncident({ clock: () => clock.now });
  await act(() => alice.command(room, '/note first'));
  await act(() => alice.command(room, '/note list'));
  const list = lastMessage(place, alice, room);
  await act(() => alice.press(list, 'Edit'));
  expect(JSON.stringify(alice.view)).not.toContain('hooks.slack');
  clock.now = new Date('2026-11-20T12:30:00Z');
  await act(() => alice.submit({ text: 'second' }));
  expect(renderMessage(slack, list)).toContain('first · alice');
  const answer = place.lastRead(alice, room.name);
  expect(answer).toContain('You changed a note: “second”.\nTimeline of incident 1');
  expect(answer).toContain('second · alice');
  expect(answer).toContain('[Edit] [Important] [Remove]');
});

test('another person’s note is changed and removed with a trace, which the room sees', async () => {
  const { place, slack, alice, bob, home: room, act } = await openIncident();
  await act(() => alice.command(room, '/note rolled back to v41'));
  await act(() => bob.command(room, '/incident timeline'));
  const list = lastMessage(place, bob, room);
  await act(() => bob.press(list, { text: 'Edit', near: 'rolled back' }));
  await act(() => bob.submit({ text: 'rolled back to v40' }));
  expect((await notesOf(place, '1')).at(-1)?.body).toBe('rolled back to v40\n\n— alice in Slack, edited by bob');
  await act(() => bob.command(room, '/incident timeline notes'));
  const again = lastMessage(place, bob, room);
  expect(renderMessage(slack, again)).toContain('rolled back to v40 · alice · edited by bob');

  await act(() => bob.press(again, 'Remove'));
  expect(await notesOf(place, '1')).toEqual([]);
  expect(place.reads(alice, room.name).join('\n')).toContain(
    '@bob removed a note by alice from the timeline of the incident: “rolled back to v40”',
  );
});

test('a body comes apart into what its parts were', () => {
  const note = {
    incidentID: '1',
    text: 'a\n\n— b in Slack\n\nc',
    eventTime: '',
    saidBy: '',
    addedBy: 'mal\nice\n\n— root in Slack',
    permalink: '',
    source: 'note',
  };
  const body = noteBody(note);
  expect(splitNoteBody(body)).toEqual({ text: note.text, foot: '— mal ice — root in Slack in Slack' });
  expect(splitNoteBody('plain')).toEqual({ text: 'plain', foot: '' });
});
