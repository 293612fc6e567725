import { expect, test } from 'vitest';
import { renderMessage, renderView } from '../../../../../playground/fake-slack/fake-slack.ts';
import { formatUtc } from '../../../../../src/bot/text/times.ts';
import { splitNoteBody } from '../../../../../src/contract/note-forms.ts';
import { openFakeGrafana } from '../../../../support/fake-grafana.ts';
import { lastMessage, notesOf } from '../../../../support/incident-room.ts';
import { phrases } from '../../../../support/phrases.ts';
import { openVerbs } from '../../../../support/verbs.ts';

test('a note is added in the person’s name, at the time it speaks of, and can be taken back', async () => {
  const { place, alice, home: room, act } = await openVerbs();
  await act(() => alice.command(room, '/note add rolled back to “v41” with @bob --at 20m ago'));
  const [note] = await notesOf(place, '1');
  expect(note?.body).toBe('rolled back to “v41” with @bob\n\n— alice in Slack');
  expect(note?.user.name).toBe('alice');
  expect(note?.eventTime).toBe('2026-11-20T11:55:00Z');
  const receipt = lastMessage(place, alice, room);
  expect(receipt.ephemeralTo).toBe(alice.id);
  expect(renderMessage(place.slack, receipt)).toMatch(/^:memo: You noted on the timeline of incident 1 for /);
  expect(receipt.text).toContain('rolled back to “v41” with @bob');
  expect(receipt.text).toContain(formatUtc(new Date(note?.eventTime ?? '')));

  await act(() => alice.press(receipt, 'Undo'));
  expect(place.lastRead(alice, room.name)).toContain('from the timeline of incident 1');
  expect(await notesOf(place, '1')).toEqual([]);
});

test('undo pressed twice or too late says so', async () => {
  const { place, alice, home: room, wait, act } = await openVerbs();
  await act(() => alice.command(room, '/note add one'));
  const receipt = lastMessage(place, alice, room);
  await Promise.all([alice.press(receipt, 'Undo'), alice.press(receipt, 'Undo')]);
  await place.quiet();
  expect(await notesOf(place, '1')).toEqual([]);
  expect(place.reads(alice, room.name).join('\n')).toContain('already');

  await act(() => alice.command(room, '/note add two'));
  const second = lastMessage(place, alice, room);
  wait(11);
  await act(() => alice.press(second, 'Undo'));
  expect(place.lastRead(alice, room.name)).toContain('Undo works for 10 minutes');
  expect(await notesOf(place, '1')).toHaveLength(1);
});

test('the forms people have in their fingers add notes too', async () => {
  const { place, alice, bob, general, home: room, act } = await openVerbs();
  for (const line of [
    '/incident note database is back',
    '/note "curly" day',
    '/muster note add third',
    '/note add @bob called',
  ]) {
    await act(() => alice.command(room, line));
  }
  const texts = (await notesOf(place, '1')).map(note => splitNoteBody(note.body).text);
  expect(texts).toEqual(['database is back', '"curly" day', 'third', '@bob called']);

  await act(() => alice.command(general, '/note add from elsewhere'));
  await act(() => alice.press(lastMessage(place, alice, general), '#1 Checkout answers 500'));
  expect((await notesOf(place, '1')).at(-1)?.body).toContain('from elsewhere');
  expect(bob.view).toBeUndefined();
});

test('empty, over-long, future and misplaced notes are refused with what was typed', async () => {
  const { place, alice, general, home: room, act } = await openVerbs();
  const says = async (line: string) => {
    await act(() => alice.command(room, line));
    return place.lastRead(alice, room.name);
  };
  expect(await says('/note add --at 5m ago')).toContain('The note is empty.');
  expect(await says(`/note add ${'x'.repeat(60_001)}`)).toContain('this one has 60001');
  expect(await says('/note add later --at tomorrow 10:00')).toContain('in the future');
  const bad = await says('/note add later --at sometime');
  expect(bad).toContain('is not a time');
  expect(bad).toContain('You typed: /note add later --at sometime');
  expect(await says('/note add gone --incident 99')).toContain(phrases.noIncident(99));
  expect(await notesOf(place, '1')).toEqual([]);

  const guest = place.slack.addPerson({ name: 'gina', isRestricted: true });
  alice.invite(general, guest);
  await act(() => guest.command(general, '/note add hello --incident 1'));
  expect(place.lastRead(guest, 'general')).toContain('You are a guest');
  expect(await notesOf(place, '1')).toEqual([]);
});

test('hostile words are kept and mention nobody', async () => {
  const { place, alice, home: room, act } = await openVerbs();
  await alice.command(room, '/note add <!channel> &lt;b&gt; @channel <https://x.example|click>');
  await place.quiet();
  await act(() => alice.command(room, '/note list'));
  expect(place.reads(alice, room.name).join('\n')).not.toContain('!!!');
  expect((await notesOf(place, '1'))[0]?.body).toContain('<!channel>');
});

test('the list shows ten, and each can be changed in words and time', async () => {
  const { place, slack, alice, bob, home: room, now, act } = await openVerbs();
  await act(() => bob.command(room, '/note add bob was here'));
  for (let each = 1; each <= 11; each += 1) {
    await act(() => alice.command(room, `/note add note ${each} --at ${30 - each}m ago`));
  }
  await act(() => alice.command(room, '/note list'));
  const list = lastMessage(place, alice, room);
  const shown = renderMessage(slack, list);
  expect(shown).toContain('Timeline of incident 1, notes only, newest first');
  expect(shown).toContain('bob was here · bob');
  expect(shown).not.toContain('note 2 ');
  expect(shown.match(/\[Edit\]/g)).toHaveLength(10);

  await act(() => alice.press(list, { text: 'Edit', near: 'note 11' }));
  expect(alice.view && renderView(slack, alice.view)).toContain('What happened: [note 11]');
  await alice.submit({ text: ' ' });
  expect(Object.values(alice.view?.errors ?? {})).toEqual([
    'A note needs words. To delete it, press Remove in the list.',
  ]);
  await alice.submit({ text: 'note eleven <!here>', at: new Date(now().getTime() + 3_600_000) });
  expect(Object.values(alice.view?.errors ?? {})).toEqual(['That is in the future: give a time that has passed.']);
  const moved = new Date(now().getTime() - 3_600_000);
  await act(() => alice.submit({ at: moved }));
  // The list shows it in its own place, under the words about the change.
  const changed = renderMessage(slack, list);
  expect(changed.split('\n')[0]).toContain('You changed a note: “note eleven <!here>”. You moved the note to ');
  expect(changed).toContain('note 2 · alice');
  expect(changed).not.toContain('note 11');
  const first = (await notesOf(place, '1'))[0];
  expect(first?.body).toBe('note eleven <!here>\n\n— alice in Slack');
  expect(Date.parse(first?.eventTime ?? '')).toBe(moved.getTime());

  await act(() => alice.press(list, { text: 'Edit', near: 'note 10' }));
  await act(() => alice.submit({}));
  expect(place.lastRead(alice, room.name)).toContain('You changed nothing, so the note stays as it is.');

  await act(() => alice.press(list, { text: 'Remove', near: 'note 10' }));
  const [notice, ...left] = renderMessage(slack, list).split('\n');
  expect(notice).toContain('You removed a note from the timeline of incident 1: “note 10”.');
  // The list itself stands below, as it is now.
  expect(left.join('\n')).toContain('Timeline of incident 1, notes only, newest first');
  expect(left.join('\n')).toContain('note 9');
  expect(left.join('\n')).not.toContain('note 10');
  expect(await notesOf(place, '1')).toHaveLength(11);

  await act(() => alice.command(room, '/incident timeline notes by me'));
  const mine = lastMessage(place, alice, room);
  await act(() => alice.press(mine, { text: 'Important', near: 'note 9' }));
  expect(renderMessage(slack, mine)).toContain('You changed a note: “❗ note 9”.');
  expect(renderMessage(slack, mine)).toContain('by or about @alice');
});

test('a message of another person can be moved in time, not reworded', async () => {
  const { place, slack, alice, bob, home: room, act } = await openVerbs();
  await act(() => alice.shortcut('add_timeline', bob.say(room, 'it was me')));
  await act(() => alice.command(room, '/note list'));
  const list = lastMessage(place, alice, room);
  expect(renderMessage(slack, list)).toContain('it was me · bob');
  await act(() => alice.press(list, 'Edit'));
  expect(alice.view && renderView(slack, alice.view)).not.toContain('What happened');
});

test('a note is marked as important, found as that, and put back to when it was noted', async () => {
  const { place, slack, alice, home: room, act } = await openVerbs();
  const says = async (line: string) => {
    await act(() => alice.command(room, line));
    return lastMessage(place, alice, room);
  };
  await says('/note the disk is full --at 30m ago');
  await says('/note restarted');
  await alice.press(await says('/note list'), { text: 'Important', near: 'the disk' });
  await place.quiet();
  const important = renderMessage(slack, await says('/incident timeline notes important'));
  expect(important).toContain('❗ the disk is full');
  expect(important).not.toContain('restarted');

  await alice.press(await says('/note list'), { text: 'Edit', near: 'the disk' });
  await place.quiet();
  await act(() => alice.submit({ at: '' }));
  const note = (await notesOf(place, '1')).find(each => each.body.includes('the disk'));
  expect(note?.eventTime).toBe(note?.createdTime);
  await alice.press(await says('/note list'), { text: 'Not important', near: 'the disk' });
  await place.quiet();
  expect((await notesOf(place, '1')).map(each => each.body).join()).not.toContain('❗');
});

test('a long timeline is shown page by page, of one person, and since a time', async () => {
  const { place, slack, alice, bob, home: room, now, act } = await openVerbs();
  await act(() => bob.command(room, '/note bob saw it'));
  for (let each = 0; each < 200; each += 1) {
    const eventTime = new Date(now().getTime() - 60_000 - each * 1000).toISOString();
    const body = `line ${each}`;
    await place.api.ActivityService.AddActivity({ incidentID: '1', activityKind: 'userNote', body, eventTime });
  }
  const calls = slack.calls.length;
  await act(() => alice.command(room, '/incident timeline'));
  const page = () => renderMessage(slack, lastMessage(place, alice, room));
  expect(page()).toContain('line 0');
  expect(slack.calls.length - calls).toBeLessThanOrEqual(5);
  await act(() => alice.press(lastMessage(place, alice, room), 'Older ›'));
  expect(page()).not.toContain('line 0 ');
  expect(page()).toContain('line 12');
  await act(() => alice.press(lastMessage(place, alice, room), '‹ Newest'));
  expect(page()).toContain('line 0');

  await act(() => alice.command(room, '/incident timeline @bob'));
  expect(page()).toContain('bob saw it');
  expect(page()).not.toContain('line 0');
  await act(() => alice.command(room, '/incident timeline notes since 62s ago'));
  expect(page()).toContain('line 2');
  expect(page()).not.toContain('line 3');
  await act(() => alice.command(room, '/incident timeline the disk is full'));
  expect(page()).toContain('Add it as a note: the disk is full');
  await act(() => alice.press(lastMessage(place, alice, room), 'Add it as a note: the disk is full'));
  expect(place.lastRead(alice, room.name)).toContain(phrases.added);
});

test('/note alone offers a form below the list, and /note add opens it', async () => {
  const { type, press, last, submit, alice, bodies } = await openVerbs();
  expect(await type('/note')).toContain('[Add note]');
  await press(last(), 'Add note');
  await submit({ text: 'rolled back to v41' });
  await type('/note add');
  expect(JSON.stringify(alice.view)).toContain('Add a note');
  await submit({ text: 'watching it' });
  expect(await bodies()).toEqual([expect.stringContaining('rolled back'), expect.stringContaining('watching it')]);
});

test('a guest is offered no form for notes', async () => {
  const { type, gus } = await openVerbs();
  expect(await type('/note', gus)).not.toContain('[Add note]');
});

test('no notes, and an API that fails, are said', async () => {
  const grafana = await openFakeGrafana();
  const { place, alice, home: room, act } = await openVerbs({ settings: grafana.settings });
  await act(() => alice.command(room, '/note list'));
  expect(place.lastRead(alice, room.name)).toContain('Nothing was found.');
  grafana.fail({ when: /AddActivity/, times: 1, answer: { status: 401, body: '{"message":"Unauthorized"}' } });
  await act(() => alice.command(room, '/note add kept words'));
  const refusal = lastMessage(place, alice, room);
  expect(renderMessage(place.slack, refusal)).toContain('does not accept Muster’s token');
  await act(() => alice.press(refusal, 'Try again'));
  const [note] = await notesOf(place, '1');
  expect(note?.body).toBe('kept words\n\n— alice in Slack');
  await act(() => alice.command(room, '/note list'));
  expect(place.lastRead(alice, room.name)).toContain('[Edit] [Important] [Remove]');
});

test('what was changed in the form is kept when the API is down', async () => {
  const grafana = await openFakeGrafana();
  const { place, alice, home: room, act } = await openVerbs({ settings: grafana.settings });
  await act(() => alice.command(room, '/note add rolled back'));
  await act(() => alice.command(room, '/note list'));
  await act(() => alice.press(lastMessage(place, alice, room), 'Edit'));
  grafana.fail({ when: /QueryActivity/, answer: { status: 401, body: '{"message":"Unauthorized"}' } });
  await act(() => alice.submit({ text: 'rolled back to v41' }));
  grafana.heal();
  await act(() => alice.press(lastMessage(place, alice, room), 'Open the form'));
  await act(() => alice.submit({}));
  expect((await notesOf(place, '1'))[0]?.body).toBe('rolled back to v41\n\n— alice in Slack');
});

test.each(['x', '"', 'ä'])(
  'ten long notes of %s are listed in pages that Slack takes, and none is left out',
  async letter => {
    const { type, act, alice, home, reads, press, last } = await openVerbs();
    for (let at = 0; at < 10; at += 1) await type(`/note add number-${at} ${letter.repeat(2900)}`);
    await act(() => alice.mention(home, 'notes?'));
    expect(reads()).toMatch(/\d more have no room here/);
    const seen = new Set<string>();
    for (let page = 0; page < 10; page += 1) {
      const read = reads();
      for (const [number] of read.matchAll(/number-\d/g)) seen.add(number);
      if (!read.includes('[Older ›]')) break;
      await press(last(), 'Older ›');
    }
    expect(seen.size).toBe(10);
  },
);
