import { expect, test } from 'vitest';
import type { Channel } from '../../playground/fake-slack/fake-slack.ts';

import { openSeats, type Seen, unseen } from '../support/seats.ts';

/** The incident “Checkout answers 500”, as four people see it. */
async function openRoom(flags = '') {
  const seats = await openSeats();
  const room = await seats.declare(flags);
  const { alice, after, place, slack, bob, wendy, rhea } = seats;
  return {
    ...seats,
    room,
    type: (line: string, where: Channel = room) => after(() => alice.command(where, line)),
    press: (button: string) => after(() => alice.press(seats.last(alice, room), button)),
    pressAsBob: (button: string) => after(() => bob.press(seats.last(bob, slack.openDm(bob)), button)),
    card: () => place.reads(wendy, room.id)[0] ?? '',
    announcement: () => place.reads(rhea, 'alerts')[0] ?? '',
  };
}

/**
 * Types each line of a transcript that is not indented, and expects that each of the four reads exactly the messages below it: a seat and its
 * message, with `\n` for a new line, or with an expression between slashes.
 */
async function expectSeen({ type }: { readonly type: (line: string) => Promise<Seen> }, transcript: string) {
  for (const act of transcript.trim().split(/\n(?! )/)) {
    const [line = '', ...messages] = act.split('\n').map(each => each.trim());
    const wanted: Record<keyof Seen, unknown[]> = { typist: [], bystander: [], assignee: [], announcements: [] };
    for (const message of messages) {
      const [seat = '', words = ''] = message.split(/: (.*)/s, 2);
      const [, pattern] = /^\/(.*)\/$/.exec(words) ?? [];
      wanted[seat as keyof Seen].push(
        pattern === undefined ? words.replaceAll('\\n', '\n') : expect.stringMatching(pattern),
      );
    }
    expect(await type(line), line).toEqual(wanted);
  }
}

test('a declaration: its place reads a line with Join, the announcements one card, and the typist alone can take it back', async () => {
  const { after, alice, wendy, general, place, slack } = await openSeats();
  expect(await after(() => alice.command(general, '/incident declare Disk is full --severity major --now'))).toEqual({
    ...unseen,
    typist: ['🚨 You declared incident 1: “Disk is full”, severity major.\nHead to #inc-1-disk-is-full.\n[Undo]'],
    bystander: ['🚨 @alice declared Disk is full (major). It is handled in #inc-1-disk-is-full.\n[Join]'],
    announcements: [
      '🟠 MAJOR · Disk is full\nActive since Nov 20, 2026 12:17 PM, just now\n:warning: No commander\n#inc-1-disk-is-full · Incident 1 · declared by @alice\n[Join]',
    ],
  });
  const line = place.messages(wendy, general.id).at(-1);
  if (!line) throw new Error('There is no line');
  const joined = await after(() => wendy.press(line, 'Join'));
  expect(slack.channel('inc-1-disk-is-full').members).toContain(wendy.id);
  expect([joined.typist, joined.assignee, joined.announcements]).toEqual([[], [], []]);

  const alert = wendy.say(general, 'Payments time out');
  await after(() => alice.shortcut('declare_message', alert));
  const { bystander } = await after(() => alice.submit({ title: 'Payments time out' }));
  expect(bystander).toEqual([
    '🚨 @alice declared incident 2 from this message. It is handled in #inc-2-payments-time-out.\n[Join]',
  ]);
  expect(place.messages(wendy, general.id).at(-1)?.threadTs, 'in the thread of the message').toBe(alert.ts);
});

test('a change of the incident is one line for the room; the typist alone reads what the line lacks, and Undo', async () => {
  await expectSeen(
    await openRoom(),
    String.raw`
/incident title Checkout is down
  typist: :pencil2: You renamed incident 1 to “Checkout is down” (was “Checkout answers 500”).\n[Undo]
  bystander: :pencil2: @alice renamed the incident to “Checkout is down”
/incident drill on
  typist: 🧪 You marked incident 1 as a drill.\n[Undo]
  bystander: 🧪 @alice marked the incident as a drill
/incident drill off
  typist: 🧪 You marked incident 1 as real.\n[Undo]
  bystander: 🧪 @alice marked the incident as real
/incident label checkout
  typist: :label: You added the label checkout to incident 1.\n[Undo]
  bystander: :label: @alice added the label checkout to the incident
/incident unlabel checkout
  typist: :label: You took the label checkout off incident 1.\n[Undo]
  bystander: :label: @alice took the label checkout off the incident
/incident started 12:00
  typist: /^:clock3: You set the start of incident 1 to Nov 20, 2026 12:00 PM, .* ago\. Before: .*\n\[Undo\]$/
  bystander: :clock3: @alice set the start of the incident to Nov 20, 2026 12:00 PM
/note the pool was shrunk
  typist: :memo: You noted on the timeline of incident 1: “the pool was shrunk”.\n[Undo]
  bystander: :memo: @alice noted: “the pool was shrunk”
`,
  );
});

test('the announcements read one line of each severity, update, resolution and reopening, and none of all else', async () => {
  const seats = await openRoom();
  const { name } = seats.room;
  await expectSeen(
    seats,
    String.raw`
/incident severity critical
  typist: ☑️ You set the severity of incident 1 to critical (was minor).\n[Undo]
  bystander: 🔴 Severity raised: minor → critical – @alice
  announcements: 🔴 #1 Checkout answers 500 went from minor to critical – #${name}
/incident severity minor
  typist: ☑️ You set the severity of incident 1 to minor (was critical).\n[Undo]
  bystander: 🟡 Severity lowered: critical → minor – @alice
  announcements: 🟡 #1 Checkout answers 500 went from critical to minor – #${name}
/incident update We roll back --next 30m
  typist: 📣 You posted the update of incident 1: “We roll back” (next by 12:51 PM).\n[Undo]
  bystander: 📣 Update · 🟡 minor · next by 12:51 PM – @alice\n> We roll back
  announcements: 📣 #1 Checkout answers 500: We roll back – @alice, next update due at 12:51 PM
/incident resolve --now It was the pool
  typist: ✅ You resolved incident 1 after 8 min: “Checkout answers 500”.\n[Undo]
  bystander: ✅ Resolved after 8 min – @alice\n> It was the pool
  bystander: What comes next: check the times (Nov 20, 2026 12:15 PM–12:23 PM)\n[Export record] [Fill in times] [Archive in 7 days] [Another day]
  announcements: ✅ #1 Checkout answers 500 resolved after 8 min: It was the pool
/incident reopen
  typist: 🔁 You reopened incident 1: “Checkout answers 500”. Its end time is cleared.\n[Undo]
  bystander: /^What comes next: nothing yet, since the incident is open again\./
  bystander: 🔁 Reopened – @alice
  announcements: 🔁 #1 Checkout answers 500 is open again – #${name}
`,
  );
});

test('an update from the form is read by all who read the typed one', async () => {
  const { type, alice, after, card, announcement } = await openRoom();
  expect(await type('/incident update')).toEqual(unseen);
  expect(await after(() => alice.submit({ happened: 'Orders fail', doing: 'Rolling back', next: '15' }))).toEqual({
    ...unseen,
    typist: ['📣 You posted the update of incident 1: “Orders fail.\nRolling back” (next by 12:34 PM)\n[Undo]'],
    bystander: ['📣 Update · 🟡 minor · next by 12:34 PM – @alice\n> Orders fail.\n> Rolling back'],
    announcements: ['📣 #1 Checkout answers 500: Orders fail.\nRolling back – @alice, next update due at 12:34 PM'],
  });
  for (const words of [card(), announcement()])
    expect(words).toContain('just now, by @alice: Orders fail.\nRolling back');
});

test('a task that is given: its assignee is told alone, refuses, begins and finishes, and the room reads each as a line', async () => {
  const { type, pressAsBob, room } = await openRoom();
  const where = `of incident 1 “Checkout answers 500” · #${room.name}`;
  const about = `${where}\n[Start] [Done] [Not me]`;
  expect(await type('/task add Roll back 1141')).toEqual({
    ...unseen,
    typist: [':heavy_plus_sign: You added task 1: “Roll back 1141”.\n[Start] [Done] [Assign ▾] [Tasks]'],
    bystander: [':heavy_plus_sign: @alice added task 1: “Roll back 1141”'],
  });
  expect(await type('/task assign 1 @bob')).toEqual({
    ...unseen,
    typist: [
      `:bust_in_silhouette: You gave @bob task 1: “Roll back 1141”.\nI invited @bob to #${room.name}.\n[Undo]\n[Start] [Done] [@bob ▾] [Unassign] [Tasks]`,
    ],
    bystander: [':bust_in_silhouette: @alice gave @bob task 1: “Roll back 1141”'],
    assignee: [`@alice gave you a task: “Roll back 1141”\nTask 1 ${about}`],
  });
  expect(await pressAsBob('Not me')).toEqual({
    ...unseen,
    bystander: [':bust_in_silhouette: @bob gave back task 1: “Roll back 1141”. Nobody has it now'],
    assignee: [
      `:bust_in_silhouette: You gave back task 1: “Roll back 1141”. Nobody has it now.\nTask 1 ${where}\n[Undo]\n[Start] [Done] [Assign ▾] [Tasks]`,
    ],
  });
  expect(await type('/task add Call the vendor @bob')).toEqual({
    ...unseen,
    typist: [
      ':heavy_plus_sign: You added task 2: “Call the vendor”, for @bob.\n[Start] [Done] [@bob ▾] [Unassign] [Tasks]',
    ],
    bystander: [':heavy_plus_sign: @alice added task 2: “Call the vendor”, for @bob'],
    assignee: [`@alice gave you a task: “Call the vendor”\nTask 2 ${about}`],
  });
  expect(await pressAsBob('Start')).toEqual({
    ...unseen,
    bystander: ['▶️ @bob started task 2: “Call the vendor”'],
    assignee: [`▶️ You started task 2: “Call the vendor”.\nTask 2 ${where}\n[Undo]\n[Done] [@bob ▾] [Unassign] [Tasks]`],
  });
  expect(await pressAsBob('Done')).toEqual({
    ...unseen,
    bystander: ['☑️ @bob finished task 2: “Call the vendor”'],
    assignee: [`☑️ You finished task 2: “Call the vendor”.\nTask 2 ${where}\n[Undo]\n[Reopen] [Tasks]`],
  });
});

/** What the role asks of its holder. */
const purpose = 'commander: Owns the incident (has their full-time attention)';

test('command that changes hands is a line for the room; a second commander is asked about in private', async () => {
  const { type, press, room, card, announcement } = await openRoom();
  const about = `Incident 1 “Checkout answers 500” · #${room.name}`;
  expect(card()).toContain(':warning: No commander – press Take command');
  expect(await type('/role assign me commander')).toEqual({
    ...unseen,
    typist: [`:bust_in_silhouette: You took command.\n${purpose}\n[Undo]`],
    bystander: [':bust_in_silhouette: @alice took command'],
  });
  for (const words of [card(), announcement()]) expect(words).toContain('\nCommander @alice\n');
  expect(await type('/role assign @bob commander')).toEqual({
    ...unseen,
    typist: [
      `:bust_in_silhouette: You made @bob commander.\nI invited @bob to #${room.name}.\n@alice is commander too.\n[Hand over] [Keep both] [Undo]`,
    ],
    bystander: [':bust_in_silhouette: @alice made @bob commander'],
    assignee: [`:bust_in_silhouette: @alice made you commander.\n${about}\n${purpose}\n[Roles] [Catch me up]`],
  });
  expect(await press('Hand over')).toEqual({
    ...unseen,
    typist: [':bust_in_silhouette: You handed command to @bob.\n[Undo]'],
    bystander: [':bust_in_silhouette: @alice handed command to @bob'],
    // The incident from its start stands between.
    assignee: [
      expect.stringMatching(
        /^:bust_in_silhouette: @alice handed you command\.\nIncident 1 [^\n]+\ncommander: Owns [^\n]+\n[\s\S]+ has been active for [\s\S]+\n\[Roles\] \[Catch me up\]$/,
      ),
    ],
  });
  for (const words of [card(), announcement()]) expect(words).toContain('\nCommander @bob\n');
  expect(await type('/role unassign @bob commander')).toEqual({
    ...unseen,
    typist: [':bust_in_silhouette: You took command from @bob.\n[Undo]'],
    bystander: [':bust_in_silhouette: @alice took command from @bob'],
    assignee: [`:bust_in_silhouette: @alice removed you as commander.\n${about}\n[Roles]`],
  });
});

test('a person from whom a task or a role is taken reads so in a direct message, also when its gift is taken back', async () => {
  const { type, press, room } = await openRoom();
  await type('/task add Call the vendor');
  const task = `“Call the vendor”\nTask 1 of incident 1 “Checkout answers 500” · #${room.name}`;
  const where = `\nIncident 1 “Checkout answers 500” · #${room.name}`;
  const [role, got] = [`${where}\n[Roles]`, `${where}\n${purpose}\n[Roles] [Catch me up]`];
  const sign = ':bust_in_silhouette: @alice';
  const acts = [
    ['/task assign 1 @bob', `@alice gave you a task: ${task}\n[Start] [Done] [Not me]`],
    ['Undo', `@alice took a task from you, and nobody has it now: ${task}`],
    ['/task assign 1 @bob', `@alice gave you a task: ${task}\n[Start] [Done] [Not me]`],
    ['/task assign 1 @wendy', `@alice gave your task to @wendy: ${task}`],
    ['Undo', `@alice gave you a task: ${task}\n[Start] [Done] [Not me]`],
    ['/task assign 1 me', `@alice took over your task: ${task}`],
    ['/task assign 1 @bob', `@alice gave you a task: ${task}\n[Start] [Done] [Not me]`],
    ['/task delete 1', `@alice deleted your task: ${task}`],
    ['Undo', `@alice gave you a task: ${task}\n[Start] [Done] [Not me]`],
    ['/role assign @bob commander', `${sign} made you commander.${got}`],
    ['Undo', `${sign} removed you as commander.${role}`],
    ['/role assign @bob commander', `${sign} made you commander.${got}`],
    ['/role handover me', `${sign} took over command from you.${role}`],
    ['Undo', `${sign} gave you command back.${got}`],
    ['/role handover @wendy', `${sign} moved command from you to @wendy.${role}`],
  ] as const;
  for (const [act, read] of acts) {
    const { assignee } = await (act === 'Undo' ? press(act) : type(act));
    expect(assignee, act).toEqual([read]);
  }
});

test.each([
  ['/role assign me commander', ':bust_in_silhouette: @alice took command'],
  ['/task add Roll back 1141', undefined],
  ['/task done 1', '☑️ @alice finished task 1: “Call the vendor”'],
  ['/task edit 1 Call them', ':pencil2: @alice changed task 1: “Call them”'],
  ['/task delete 1', ':wastebasket: @alice deleted task 1: “Call the vendor”'],
  ['/incident title It is down', ':pencil2: @alice renamed the incident to “It is down”'],
  ['/incident drill on', '🧪 @alice marked the incident as a drill'],
  ['/incident label eu', ':label: @alice added the label eu to the incident'],
  ['/note it was the pool', ':memo: @alice noted: “it was the pool”'],
  ['/incident update We roll back', '📣 Update · 🟡 minor – @alice\n> We roll back'],
  ['/incident severity major', '🟠 Severity raised: minor → major – @alice'],
] as const)('%s, taken back, is marked wherever it was told, and nobody reads a further line', async (line, told) => {
  const { type, press } = await openRoom();
  await type('/task add Call the vendor');
  const before = await type(line);
  const receipt = before.typist.join('\n');
  if (told === undefined) return expect(receipt).not.toContain('[Undo]');
  const { typist, ...others } = await press('Undo');
  expect(others).toEqual({
    bystander: [`:leftwards_arrow_with_hook: @alice took this back: ${told}`],
    assignee: [],
    announcements: before.announcements.map(each => `:leftwards_arrow_with_hook: @alice took this back: ${each}`),
  });
  expect(typist).toHaveLength(1);
});

test('card and announcement at a glance: severity in sign and word, commander, age in both zones, the alert', async () => {
  const { card, announcement } = await openRoom('--link https://alerts.example.com/1 --caption "The alert"');
  const facts = '🟡 MINOR · Checkout answers 500\nActive since Nov 20, 2026 12:15 PM, just now\n';
  const alert = '🔗 The alert (https://alerts.example.com/1)';
  const declared = 'Incident 1 · declared by @alice';
  expect(card()).toBe(
    `${facts}:warning: No commander – press Take command\n${declared} · ${alert}\n[Take command] [Update] [Add note] [Tasks] [Edit] [Call] [Resolve] [Roles] [Catch me up]`,
  );
  expect(announcement()).toBe(
    `${facts}:warning: No commander\n#inc-1-checkout-answers-500 · ${declared} · ${alert}\n[Join]`,
  );
});
