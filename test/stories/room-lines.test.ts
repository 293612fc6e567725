import { describe, expect, test } from 'vitest';
import { renderMessage } from '../../playground/fake-slack/fake-slack.ts';
import { openFakeGrafana } from '../support/fake-grafana.ts';
import { openIncident } from '../support/incident-room.ts';

test('a bystander reads each change once, as one line', async () => {
  const { later, publicLines: lines } = await openIncident();
  await later('/task add Roll back 1141 @bob');
  await later('/task start 1');
  await later('/task assign 1 @alice');
  await later('/task edit 1 Roll back release 1141');
  await later('/task done 1');
  await later('/task delete 1');
  await later('/role assign me commander');
  await later('/role unassign me commander');
  await later('/incident title Checkout is down');
  await later('/incident drill on');
  await later('/incident drill off');
  await later('/incident label checkout');
  await later('/incident unlabel checkout');
  await later('/incident severity major');
  await later('/note the pool was shrunk');
  await later('/incident resolve --now It was the pool');
  await later('/incident reopen');
  expect(lines()).toEqual([
    ':heavy_plus_sign: @alice added task 1: “Roll back 1141”, for @bob',
    '▶️ @alice started task 1: “Roll back 1141”',
    ':bust_in_silhouette: @alice took task 1: “Roll back 1141”',
    ':pencil2: @alice changed task 1: “Roll back release 1141”',
    '☑️ @alice finished task 1: “Roll back release 1141”',
    ':wastebasket: @alice deleted task 1: “Roll back release 1141”',
    ':bust_in_silhouette: @alice took command',
    ':bust_in_silhouette: @alice gave up command',
    ':pencil2: @alice renamed the incident to “Checkout is down”',
    '🧪 @alice marked the incident as a drill',
    '🧪 @alice marked the incident as real',
    ':label: @alice added the label checkout to the incident',
    ':label: @alice took the label checkout off the incident',
    '🟠 Severity raised: pending → major – @alice',
    ':memo: @alice noted: “the pool was shrunk”',
    expect.stringMatching(/^✅ Resolved after .* – @alice\n> It was the pool$/),
    '🔁 Reopened – @alice',
  ]);
});

test('a change that changes nothing is no line', async () => {
  const { later, publicLines: lines } = await openIncident();
  await later('/task add Call the vendor');
  const [added] = lines();
  for (const line of ['/task reopen 1', '/incident reopen', '/incident drill off', '/incident severity pending']) {
    await later(line);
  }
  expect(lines()).toEqual([added]);
});

test('lines of one person within a minute are one message, which is edited; in a busy minute the last one takes everybody’s', async () => {
  const { type, publicLines: lines, bob, wait } = await openIncident();
  await type('/task add One');
  await type('/task add Two');
  await type('/task done 1', bob);
  await type('/task add Three');
  await type('/task done 2', bob);
  wait(2);
  await type('/task add Four');
  expect(lines()).toEqual([
    ':heavy_plus_sign: @alice added task 1: “One”\n:heavy_plus_sign: @alice added task 2: “Two”',
    '☑️ @bob finished task 1: “One”\n:heavy_plus_sign: @alice added task 3: “Three”\n☑️ @bob finished task 2: “Two”',
    ':heavy_plus_sign: @alice added task 4: “Four”',
  ]);
});

test('an undone change is marked in its own line', async () => {
  const { type, press, last, publicLines: lines, later } = await openIncident();
  await type('/role assign @bob commander');
  await press(last(), 'Undo');
  expect(lines()).toEqual([
    ':leftwards_arrow_with_hook: @alice took this back: :bust_in_silhouette: @alice made @bob commander',
  ]);
  await later('/task add One');
  expect(lines()).toHaveLength(2);
});

test('a busy room gets so many messages within an hour, and then further lines in the last one', async () => {
  const { alice, bob, publicLines: lines, wait, type } = await openIncident();
  // Two people take turns: lines of one person within a minute are one message anyway.
  for (let at = 0; at < 32; at += 1) {
    wait(1.5);
    await type(`/task add No. ${at}`, at % 2 === 0 ? alice : bob);
  }
  expect(lines()).toHaveLength(30);
  expect(lines()[29]?.split('\n')).toHaveLength(3);
  await type('/incident severity critical');
  expect(lines()).toHaveLength(31);
  wait(61);
  await type('/task add Five');
  expect(lines()).toHaveLength(32);
});

describe('a room is told as it wants to be', () => {
  test('in the thread of the card', async () => {
    const { later, home, card, type } = await openIncident();
    await type('/incident receipts thread');
    const threadOf = (ts: string) =>
      home.messages.filter(message => message.threadTs === ts && message.ts !== ts).map(each => each.text);
    await later('/task add One');
    expect(threadOf(card().ts)).toEqual([expect.stringContaining('added task 1')]);
  });

  test.each([
    { mode: 'thread', where: 'in the thread of the card' },
    { mode: 'quiet', where: 'nowhere' },
  ] as const)('every kind of line stands $where, and whoever acts reads the whole receipt', async ({ mode }) => {
    const { later, card, api, place, slack, home } = await openIncident();
    const pinned = card();
    const known = home.messages.length;
    await later(`/incident receipts ${mode}`);
    const acts: readonly (readonly [line: string, receipt: string, said: string])[] = [
      ['/task add Roll back @bob', 'You added task 1: “Roll back”, for @bob.', 'added task 1: “Roll back”, for @bob'],
      ['/task start 1', 'You started task 1: “Roll back”.', 'started task 1: “Roll back”'],
      ['/task assign 1 @alice', 'You took task 1: “Roll back”.', 'took task 1: “Roll back”'],
      ['/task edit 1 Roll it back', 'You changed task 1: “Roll it back”.', 'changed task 1: “Roll it back”'],
      ['/task done 1', 'You finished task 1: “Roll it back”.', 'finished task 1: “Roll it back”'],
      ['/task delete 1', 'You deleted task 1: “Roll it back”.', 'deleted task 1: “Roll it back”'],
      ['/role assign me commander', 'You took command.', '@alice took command'],
      ['/role unassign me commander', 'You gave up command.', '@alice gave up command'],
      [
        '/incident title It is down',
        'You renamed incident 1 to “It is down” (was “Checkout answers 500”).',
        'renamed the incident to “It is down”',
      ],
      ['/incident drill on', 'You marked incident 1 as a drill.', 'marked the incident as a drill'],
      ['/incident label checkout', 'You added the label checkout to incident 1.', 'added the label checkout'],
      ['/incident started 20m ago', 'You set the start of incident 1 to', 'set the start of the incident to'],
      [
        '/incident severity major',
        'You set the severity of incident 1 to major (was pending)',
        'Severity raised: pending → major',
      ],
      ['/incident update It recovers', 'You posted the update of incident 1: “It recovers”.', 'It recovers'],
      [
        '/note It was the pool',
        'You noted on the timeline of incident 1: “It was the pool”.',
        'noted: “It was the pool”',
      ],
      ['/incident resolve --now', 'You resolved incident 1 after', 'esolved after'],
      ['/incident reopen', 'You reopened incident 1', 'eopened – @alice'],
    ];
    for (const [line, receipt] of acts) expect(await later(line), line).toContain(receipt);
    await api.IncidentsService.UpdateTitle({ incidentID: '1', title: 'Somebody else renames it' });
    await later('/note It is over');
    await place.quiet();
    const posted = home.messages
      .slice(known)
      .filter(each => each.ephemeralTo === undefined && each.botId !== undefined);
    expect(posted.filter(each => each.threadTs !== pinned.ts)).toEqual([]);
    const told = posted.map(each => renderMessage(slack, each)).join('\n');
    const changes = [...acts.map(([, , said]) => said), 'Outside Slack, somebody renamed the incident'];
    if (mode === 'quiet') expect(told).toBe('');
    else for (const said of changes) expect(told).toContain(said);
    expect(renderMessage(slack, pinned)).toContain('Somebody else renames it');
  });

  test('not at all, by command; afterwards again', async () => {
    const { later, publicLines: lines, gus } = await openIncident();
    expect(await later('/incident receipts')).toContain('each change is a line in the channel');
    expect(await later('/incident receipts loud')).toContain('“loud” is not one of the three ways.');
    expect(await later('/incident receipts quiet', gus)).toContain('guests cannot change incidents');
    expect(await later('/incident receipts quiet')).toContain('changes only update the card');
    await later('/task add One');
    expect(lines()).toEqual([]);
    await later('/incident receipts channel');
    await later('/task add Two');
    expect(lines()).toEqual([':heavy_plus_sign: @alice added task 2: “Two”']);
  });
});

test.each([{ dropAfterEffect: true }, { halfBody: true }] as const)(
  'a line whose posting lost its answer (%j) stands once',
  async fault => {
    const { slack, later, publicLines: lines } = await openIncident();
    slack.fail('chat.postMessage', fault, { times: 1 });
    await later('/task add One');
    await later('/task done 1');
    expect(lines()).toEqual([expect.stringContaining('added task 1'), expect.stringContaining('finished task 1')]);
  },
);

test('a line that somebody deleted is posted again when it changes', async () => {
  const { type, press, last, publicLines: lines, home, alice } = await openIncident();
  await type('/incident severity major');
  const receipt = last();
  const line = home.messages.find(message => message.text.includes('Severity raised'));
  if (!line) throw new Error('There is no line');
  alice.deleteMessage(line, 'administrator');
  expect(lines()).toEqual([]);
  await press(receipt, 'Undo');
  expect(lines()).toEqual([expect.stringContaining('@alice took this back')]);
});

test('a change that the API took at the second try is told once', async () => {
  const grafana = await openFakeGrafana();
  const { type, publicLines: lines, place } = await openIncident({ settings: grafana.settings });
  grafana.fail({ when: /AddTask/, answer: { status: 503, body: '' }, times: 1 });
  await type('/task add One');
  await place.quiet();
  await expect.poll(() => lines().length).toBe(1);
  expect(lines()[0]).toContain('added task 1');
});

test('a receipt says whole what the room reads too, wherever the person acts', async () => {
  const { type, last, publicLines, general, alice } = await openIncident();
  expect(await type('/note rolled back to v41')).toBe(
    ':memo: You noted on the timeline of incident 1: “rolled back to v41”.\n[Undo]',
  );
  expect(last().text).toBe(':memo: You noted on the timeline of incident 1: “rolled back to v41”.');
  expect(await type('/incident update Half of the payments fail --next 30m')).toContain('Half of the payments fail');
  expect(await type('/incident severity major')).toContain('to major (was pending).\n[Undo]');
  expect(await type('/incident title Checkout is down')).toContain(
    'to “Checkout is down” (was “Checkout answers 500”).\n[Undo]',
  );
  expect(publicLines().join('\n')).toContain('@alice noted: “rolled back to v41”');
  expect(publicLines().join('\n')).toContain('Half of the payments fail');

  expect(await type('/note also here --incident 1', alice, general)).toContain('“also here”');
  await type('/incident receipts thread');
  expect(await type('/note in the thread')).toContain('“in the thread”');
  await type('/incident receipts quiet');
  expect(await type('/incident severity critical')).toContain(
    'You set the severity of incident 1 to critical (was major)',
  );
});

test('a line joins the message of the same person only while nothing stands below it', async () => {
  const { type, publicLines: lines, bob, home, act } = await openIncident();
  await type('/task add Roll back 1141');
  await type('/task start 1');
  expect(lines()).toEqual([
    ':heavy_plus_sign: @alice added task 1: “Roll back 1141”\n▶️ @alice started task 1: “Roll back 1141”',
  ]);
  await act(() => bob.say(home, 'who is on it?'));
  await type('/task done 1');
  expect(lines().slice(1)).toEqual(['who is on it?', '☑️ @alice finished task 1: “Roll back 1141”']);
});

test('where Muster cannot read what stands below, each line is a message', async () => {
  const { type, publicLines: lines, slack } = await openIncident();
  await type('/task add Roll back 1141');
  slack.fail('conversations.history', { error: 'missing_scope' });
  await type('/task start 1');
  expect(lines()).toHaveLength(2);
});
