import { expect, test } from 'vitest';
import { type Channel, type FakeSlack, type Person, renderMessage } from '../../playground/fake-slack/fake-slack.ts';
import { openIncident } from '../support/incident-room.ts';
import { phrases } from '../support/phrases.ts';

const day = 24 * 60;
const openAgain = 'What comes next: nothing yet, since the incident is open again.';

/** The direct message of Muster with a person. */
function direct(slack: FakeSlack, person: Person): Channel {
  const channel = slack.channels.find(each => each.isIm && each.members.has(person.id));
  if (!channel) throw new Error(`Muster wrote nothing to ${person.name}`);
  return channel;
}

test('a resolution is followed by what comes next: the tasks left, the times, the record; the typist is not told twice', async () => {
  const { type, wait, next, nextMessage, press, publicLines } = await openIncident();
  await type('/task add put it on the status page');
  wait(32);
  expect(await type('/incident resolve fixed --now')).not.toContain('still open');
  const words =
    'What comes next: close 1 open task · set the severity · check the times (Nov 20, 2026 12:15 PM–12:47 PM)';
  expect(next()).toEqual([`${words}\n[Export record] [Severity and times] [Tasks] [Archive in 7 days] [Another day]`]);
  expect(publicLines().at(-1)).toBe('✅ Resolved after 32 min – @alice\n> fixed');
  expect(await press(nextMessage(), 'Tasks')).toContain('put it on the status page');
  await type('/task done 1');
  expect(next()).toEqual([
    expect.stringMatching(
      /^What comes next: set the severity · check the times .*\n\[Export record\] \[Severity and times\] \[Archive in 7 days\]/,
    ),
  ]);
});

test('reopening takes its buttons away, and so does the undo; the next resolution has a message of its own', async () => {
  const { type, next, press, last, reads, nextMessage } = await openIncident();
  await type('/incident resolve --now');
  await press(last(), 'Undo');
  expect(next()).toEqual([openAgain]);
  await type('/incident resolve --now');
  expect(next()).toHaveLength(2);
  const message = nextMessage();
  await type('/incident reopen');
  expect(next()).toEqual([openAgain, openAgain]);
  // Somebody still has the old buttons before them.
  await press(message, 'Archive in 7 days').catch(() => undefined);
  expect(reads()).not.toContain('archives');
});

test('an end that follows the next one before anybody in the room heard of the reopening goes on in one message', async () => {
  const { api, type, wait, next, nextMessage } = await openIncident();
  await type('/incident resolve --now');
  const { ts } = nextMessage();
  wait(1);
  await api.IncidentsService.UpdateStatus({ incidentID: '1', status: 'active' });
  await api.IncidentsService.UpdateStatus({ incidentID: '1', status: 'resolved' });
  await type('/task add call the bank');
  expect(next()).toEqual([expect.stringContaining('close 1 open task')]);
  expect(nextMessage().ts).toBe(ts);
});

test('the times are filled in by one form, which shows what is so; only what changed is written', async () => {
  const { type, wait, alice, press, nextMessage, submit, incident, reads, next, items } = await openIncident();
  wait(60);
  await type('/incident resolve --now');
  await press(nextMessage(), 'Severity and times');
  expect(alice.view?.values.started?.started?.selected_date_time).toBe(Date.parse('2026-11-20T12:15:00Z') / 1000);
  expect(alice.view?.values.ended?.ended?.selected_date_time).toBe(Date.parse('2026-11-20T13:15:00Z') / 1000);
  await submit({ started: new Date('2026-11-20T13:30:00Z') });
  expect(alice.view?.errors.started).toContain('is in the future');
  await submit({ started: new Date('2026-11-20T12:00:00Z'), ended: new Date('2026-11-20T11:00:00Z') });
  expect(alice.view?.errors.ended).toContain('cannot have ended');
  await submit({ started: new Date('2026-11-20T12:05:00Z'), ended: new Date('2026-11-20T13:15:00Z') });
  expect(reads()).toContain(':clock3: You set the start of incident 1');
  expect(reads()).toContain('[Undo]');
  expect(await incident()).toMatchObject({
    incidentStart: '2026-11-20T12:05:00Z',
    incidentEnd: '2026-11-20T13:15:00Z',
  });
  expect(await items('incidentEnd')).toEqual([]);
  expect(next()[0]).toContain('Nov 20, 2026 12:05 PM–1:15 PM');
  await press(nextMessage(), 'Severity and times');
  await submit({});
  expect(reads()).toBe('You changed nothing, so the incident stays as it is.');
});

test('both times may move past each other', async () => {
  const { type, wait, press, nextMessage, submit, incident } = await openIncident();
  wait(10);
  await type('/incident resolve --now');
  wait(120);
  await press(nextMessage(), 'Severity and times');
  await submit({ started: new Date('2026-11-20T13:00:00Z'), ended: new Date('2026-11-20T13:30:00Z') });
  expect(await incident()).toMatchObject({
    incidentStart: '2026-11-20T13:00:00Z',
    incidentEnd: '2026-11-20T13:30:00Z',
  });
});

test('the record is a file for the person alone; without files:write it is text to copy; a guest in the room gets it too', async () => {
  const { type, wait, press, nextMessage, slack, alice, gus, place, reads } = await openIncident();
  await type('/task add roll back @bob');
  await type('/note add the pool was\nfull');
  await type('/role assign me commander');
  wait(20);
  await type('/incident resolve It was the pool. --now');
  expect(await press(nextMessage(), 'Export record')).toBe(
    ':page_facing_up: I sent you the record of incident 1 in a direct message, as a file.',
  );
  const sent = place.messages(alice, direct(slack, alice).id).findLast(each => each.files.length > 0);
  const file = slack.file(sent?.files[0] ?? '');
  expect(file).toMatchObject({ name: 'incident-1.md' });
  const text = file?.content ?? '';
  for (const words of [
    '# Incident 1: Checkout answers 500',
    '- Status: resolved',
    '- Ended: 2026-11-20 12:35 UTC',
    '- commander: alice',
    '- [ ] 1. roll back (bob)',
    '2026-11-20 12:15 UTC: the pool was\n  full — alice in Slack',
    '2026-11-20 12:35 UTC: It was the pool. — alice in Slack',
  ]) {
    expect(text).toContain(words);
  }
  slack.fail('files.getUploadURLExternal', { error: 'missing_scope' });
  await press(nextMessage(), 'Export record', gus);
  expect(reads(gus)).toContain('as text to copy, since Slack took no file.');
  const copied = place.reads(gus, direct(slack, gus).id).join('\n');
  expect(copied).toContain('# Incident 1: Checkout answers 500');
  expect(copied).toContain('It was the pool.');
});

test('a record that Slack does not take is told as such, and comes with the next press', async () => {
  const { type, press, nextMessage, slack, alice } = await openIncident();
  await type('/incident resolve --now');
  slack.fail('chat.postMessage', { error: 'internal_error' });
  expect(await press(nextMessage(), 'Export record')).toMatch(
    /^:warning: I could not send you the record of incident 1: .*internal_error/,
  );
  expect(await press(nextMessage(), 'Export record')).toContain('I sent you the record of incident 1');
  expect(
    slack.file(
      direct(slack, alice)
        .messages.flatMap(each => each.files)
        .at(-1) ?? '',
    )?.content,
  ).toContain('# Incident 1: ');
});

test('archiving is offered, set by one press, changed, called off; the channel is archived when it is due, once', async () => {
  const { type, wait, press, nextMessage, next, place, home, reads, publicLines, slack } = await openIncident();
  await type('/incident resolve --now');
  expect(await press(nextMessage(), 'Archive in 7 days')).toContain(
    'You set the channel of incident 1 to be archived Nov 27, 2026 12:15 PM. Reopening the incident calls it off.\n[Undo]',
  );
  expect(publicLines().at(-1)).toContain(
    ':card_file_box: @alice set the channel of the incident to be archived Nov 27, 2026',
  );
  expect(next()[0]).toContain('archives Nov 27, 2026 12:15 PM');
  expect(next()[0]).toContain('[Keep open] [Another day]');
  await press(nextMessage(), 'Keep open');
  expect(reads()).toContain('You kept the channel of incident 1 open');
  expect(next()[0]).not.toContain('archives');
  expect(await type('/incident archive in 3 days')).toContain('Nov 23, 2026 12:15 PM');
  wait(2 * day + 1);
  const shown = async () => {
    await place.quiet();
    return next()[0];
  };
  await expect.poll(shown).not.toContain('[');
  const warning = nextMessage();
  expect(renderMessage(slack, warning)).toMatch(
    /^:warning: This channel archives Nov 23, 2026 12:15 PM.*\n.*\[Keep open\] \[Another day\]$/,
  );
  expect(next()).toEqual([expect.not.stringContaining('[')]);
  expect(home.isArchived).toBe(false);
  wait(day);
  await type('/note add all is quiet');
  expect(home.isArchived).toBe(true);
  expect(renderMessage(slack, warning)).toContain('archived Nov 23, 2026');
  expect(slack.callsOf('conversations.archive')).toHaveLength(1);
});

test('reopening calls the archiving off, and a setting makes it usual; a channel of others is never archived', async () => {
  const { type, wait, next, home, slack, alice, general, place, act } = await openIncident({
    settings: { ARCHIVE_AFTER_DAYS: '1' },
  });
  await type('/incident resolve --now');
  expect(next()[0]).toContain('archives Nov 21, 2026 12:15 PM');
  await type('/incident reopen');
  wait(2 * day);
  await type('/note add it goes on');
  expect(home.isArchived).toBe(false);
  await type('/incident resolve --now');
  expect(next().at(-1)).toContain('Nov 23, 2026 12:15 PM');
  wait(day);
  await type('/note add the end');
  expect(home.isArchived).toBe(true);

  alice.invite(general, slack.botUserId);
  slack.fail('conversations.create', { error: 'restricted_action' });
  await act(() => alice.command(general, '/incident declare Mail is slow --now'));
  await act(() => alice.command(general, '/incident resolve --now'));
  const told = place.reads(alice, general.id).filter(text => text.includes('What comes next:'));
  expect(told).toEqual([expect.stringMatching(/\[Export record\] \[Severity and times\]$/)]);
  await act(() => alice.command(general, '/incident archive now'));
  expect(place.lastRead(alice, general.id)).toContain('has no channel that Muster made.');
  expect(slack.channel('general').isArchived).toBe(false);
});

test('a channel in which another incident goes on is not archived before that one is over', async () => {
  const { type, wait, home, next, slack } = await openIncident();
  slack.fail('conversations.create', { error: 'restricted_action' });
  await type('/incident declare Search is slow --now');
  await type('/incident resolve --now --incident 1');
  await type('/incident archive in 1 day --incident 1');
  wait(day + 1);
  await type('/note add still looking --incident 1');
  expect(home.isArchived).toBe(false);
  expect(next().at(-1)).toContain('archives Nov 22, 2026 12:16 PM');
  await type('/incident resolve --now --incident 2');
  wait(day + 1);
  await type('/note add done --incident 1');
  expect(home.isArchived).toBe(true);
});

test('what Slack refuses is said, and not tried again; the form offers other days', async () => {
  const { type, alice, submit, press, nextMessage, next, slack, home, reads } = await openIncident();
  expect(await type('/incident archive now')).toContain('is still active, so its channel stays open.');
  await type('/incident resolve --now');
  slack.fail('conversations.archive', { error: 'restricted_action' }, { times: 5 });
  await press(nextMessage(), 'Another day');
  expect(alice.view?.values.when?.when).toMatchObject({ selected_option: { value: '7' } });
  await submit({ when: 'now' });
  expect(home.isArchived).toBe(false);
  expect(next()[0]).toContain(
    ':warning: I could not archive this channel: this workspace does not let apps do that. An administrator can allow it.',
  );
  await type('/note add it stays');
  expect(slack.callsOf('conversations.archive')).toHaveLength(1);
  await press(nextMessage(), 'Another day');
  await submit({ when: 'never' });
  expect(reads()).toContain(`stays open already. ${phrases.unchanged}`);
  expect(await type('/incident archive whenever')).toContain('“whenever” is not a number of days from 1 to 365.');
});

test('a quiet room reads nothing of it, but that its channel will be archived', async () => {
  const { type, next } = await openIncident();
  await type('/incident receipts quiet');
  await type('/task add tell support');
  expect(await type('/incident resolve --now')).toContain('1 task is still open');
  expect(next()).toEqual([]);
  await type('/incident archive in 7 days');
  expect(next()[0]).toContain('archives Nov');
});
