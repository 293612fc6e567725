import { expect, test } from 'vitest';
import type { Channel } from '../../playground/fake-slack/fake-slack.ts';
import { renderView } from '../../playground/fake-slack/fake-slack.ts';
import { openFakeGrafana } from '../support/fake-grafana.ts';
import { phrases } from '../support/phrases.ts';
import { openSeats, unseen } from '../support/seats.ts';

/** The incident “Checkout answers 500” with a task and bob in its room, as four people see it. */
async function openRoom() {
  const seats = await openSeats();
  const room = await seats.declare();
  const { alice, after, slack, bob, last } = seats;
  bob.join(room.id);
  const type = (line: string, where: Channel = room) => after(() => alice.command(where, line));
  await type('/task add Call the vendor');
  return {
    ...seats,
    room,
    type,
    press: (button: string, where: Channel = room) => after(() => alice.press(last(alice, where), button)),
    form: () => (alice.view ? renderView(slack, alice.view) : ''),
  };
}

test.each([
  ['/incident delete 1', /^Incidents cannot be deleted\.[^[]*\[\/task delete 1\]/],
  ['/incident resolve 7 --now', /^There is no incident 7\. Nothing was done\./],
  ['/incident status 7', /^There is no incident 7 that you can see/],
  [
    '/incident severity sev9',
    /^There is no severity “sev9”: choose one of [^[]*\[pending\]\n\[minor\]\n\[major\]\n\[critical\]/,
  ],
  ['/incident reslove', /\/incident resolve/],
  ['/incident roles', /^Roles of incident 1/],
  ['/incident tasks', /^Tasks of incident 1/],
  ['/task', /^Tasks of incident 1/],
  ['/incident timeline', /^Timeline of incident 1/],
  ['/incident list', /^Active incidents \(1\)/],
  ['/incident', /^🟡 MINOR · Checkout answers 500\nActive since/],
  ['/muster help', /^Muster runs incidents from here\.[\s\S]*\n\[Status of this incident\] \[All commands\]\n/],
  ['/incident help', /^This incident is active\./],
  ['/note it began --at 23:50', /Nothing is stored yet\.\n\[Add\]\n\[Change\]/],
  ['/dash link The shop', /^I linked nothing: /],
  ['/task list --incident 99', /^There is no incident 99 that you can see/],
  [
    '/incident Checkout is down again',
    /^There is no command “Checkout”[\s\S]*\n\[Add it as a note: Checkout is down again\]\n/,
  ],
  ['/task pick one', /^There is no command “pick” for \/task\.[\s\S]*\n\[Add it as a task: pick one\]\n/],
  ['/dash show nginx', /^There is no dashboard with the uid “nginx”\./],
  ['/incident severity minor', /^Incident 1 is minor already\. Nothing was changed\.$/],
  ['/incident whoami', /^In Slack you are alice/],
] as const)('%s is answered to the typist alone', async (line, answer) => {
  const { type } = await openRoom();
  const { typist, ...others } = await type(line);
  expect(typist).toEqual([expect.stringMatching(answer)]);
  expect({ ...others, typist: [] }).toEqual(unseen);
});

test('an undo that comes after a later change is refused to the typist alone', async () => {
  const { type, after, alice, bob, room, place } = await openRoom();
  await type('/incident severity major');
  const receipt = place.messages(alice, room.id).findLast(each => each.ephemeralTo === alice.id);
  if (!receipt) throw new Error('There is no receipt');
  await after(() => bob.command(room, '/incident severity critical'));
  expect(await after(() => alice.press(receipt, 'Undo'))).toEqual({
    ...unseen,
    typist: ['I did not undo that: somebody has changed it since, to critical. It stays as it is now.'],
  });
});

test('without an incident the menu of incidents is the typist’s alone; a choice there tells the room', async () => {
  const { type, press, general } = await openRoom();
  const { typist, ...others } = await type('/task add Ask support', general);
  expect(typist).toEqual([
    expect.stringMatching(/^This channel has no incident\. Which one do you mean with \/task add\?\n/),
  ]);
  expect({ ...others, typist: [] }).toEqual(unseen);
  const chosen = await press('#1 Checkout answers 500', general);
  expect(chosen.typist.join('\n')).toContain('You added task 2: “Ask support”');
  expect({ ...chosen, typist: [] }).toEqual({
    ...unseen,
    bystander: [':heavy_plus_sign: @alice added task 2: “Ask support”'],
  });
});

test('the status is the typist’s until they post it, and a mention is answered for all', async () => {
  const { type, press, after, alice, general } = await openRoom();
  const asked = await type('/incident status');
  expect(asked.typist).toEqual([expect.stringMatching(/^🟡 MINOR[\s\S]*Open tasks \(1\)[\s\S]*\[Post to channel\]$/)]);
  expect({ ...asked, typist: [] }).toEqual(unseen);
  expect(await press('Post to channel')).toEqual({
    ...unseen,
    typist: ['Posted for everybody in this channel.'],
    bystander: [expect.stringMatching(/^🟡 MINOR[\s\S]*Call the vendor\nAsked for by @alice$/)],
  });
  await type('/task list');
  expect(await press('Post to channel')).toEqual({
    ...unseen,
    typist: ['Posted for everybody in this channel.'],
    bystander: [expect.stringContaining('Call the vendor')],
  });
  const mentioned = await after(() => alice.mention(general, 'status --incident 1'));
  expect(mentioned).toEqual({
    ...unseen,
    bystander: ['@muster status --incident 1', expect.stringMatching(/^🟡 MINOR[\s\S]*Asked for by @alice$/)],
  });
});

test('a direct message and the home tab answer the person alone, and what they change is a line for the room', async () => {
  const { after, alice, slack } = await openRoom();
  const direct = slack.openDm(alice);
  const helped = await after(() => alice.say(direct, 'help'));
  expect(helped.typist[0]).toMatch(/^Hello, I am Muster/);
  expect({ ...helped, typist: [] }).toEqual(unseen);
  const noted = await after(() => alice.say(direct, 'note it was the pool --incident 1'));
  expect(noted.typist.join('\n')).toContain(`${phrases.added}: “it was the pool”`);
  expect({ ...noted, typist: [] }).toEqual({ ...unseen, bystander: [':memo: @alice noted: “it was the pool”'] });
  expect(await after(() => alice.openHome())).toEqual(unseen);
  expect(alice.home).toBeDefined();
});

test('a note of somebody else is corrected and removed: the list is the typist’s, the line everybody’s', async () => {
  const { type, press, after, alice, bob, room } = await openRoom();
  expect(await after(() => bob.command(room, '/note it was teh pool'))).toEqual({
    ...unseen,
    bystander: [':memo: @bob noted: “it was teh pool”'],
  });
  await type('/note list');
  expect(await press('Edit')).toEqual(unseen);
  const edited = await after(() => alice.submit({ text: 'it was the pool' }));
  expect(edited.typist).toEqual([
    expect.stringMatching(
      /^:pencil2: You changed a note: “it was the pool”\.\n[\s\S]*it was the pool · bob · edited by alice\n/,
    ),
  ]);
  expect({ ...edited, typist: [] }).toEqual({
    ...unseen,
    bystander: [':pencil2: @alice changed a note: “it was the pool”'],
  });
  const removed = await press('Remove');
  expect(removed.typist).toEqual([
    expect.stringMatching(
      /^:wastebasket: You removed a note by bob from the timeline of incident 1: “it was the pool”\.\nTimeline of incident 1/,
    ),
  ]);
  expect({ ...removed, typist: [] }).toEqual({
    ...unseen,
    bystander: [':wastebasket: @alice removed a note by bob from the timeline of the incident: “it was the pool”'],
  });
});

test('a message added to the timeline carries its mark until it is taken off again', async () => {
  const { type, press, after, alice, bob, room } = await openRoom();
  const message = bob.say(room, 'The pool was lowered to 10');
  await after(() => {});
  const added = await after(() => alice.shortcut('add_timeline', message));
  expect(added.typist.join('\n')).toContain(phrases.added);
  // Everybody reads the message itself, and its mark.
  expect({ ...added, typist: [] }).toEqual(unseen);
  expect(message.reactions.map(each => each.name)).toEqual(['memo']);
  await type('/note list');
  const removed = await press('Remove');
  expect(removed.typist).toEqual([
    expect.stringMatching(/^:wastebasket: You removed a note from the timeline of incident 1/),
  ]);
  expect({ ...removed, typist: [] }).toEqual({
    ...unseen,
    bystander: [':wastebasket: @alice removed a note from the timeline of the incident: “The pool was lowered to 10”'],
  });
  expect(message.reactions).toEqual([]);
});

test('the form that resolves warns of an open task and finishes it; the room reads it, the end and what comes next', async () => {
  const { type, after, alice, form } = await openRoom();
  expect(await type('/incident resolve')).toEqual(unseen);
  expect(form()).toContain(':warning: 1 task is still open: Call the vendor');
  expect(form()).toContain('Ended at (optional): []');
  const { typist, ...others } = await after(() => alice.submit({ summary: 'The pool', tasks: 'done' }));
  expect(typist).toEqual([
    expect.stringMatching(
      /^✅ You resolved incident 1 after 6 min: “Checkout answers 500”\.\n.*finished all open tasks.*\n\[Undo\]$/,
    ),
  ]);
  expect(others.bystander).toEqual([
    '☑️ @alice finished all open tasks of the incident',
    expect.stringMatching(/^✅ Resolved after \d+ min – @alice\n> The pool$/),
    expect.stringMatching(/^What comes next: [\s\S]*\[Export record\]/),
  ]);
  expect(others.announcements).toEqual([expect.stringMatching(/^✅ #1 Checkout answers 500 resolved after/)]);
  expect(others.assignee).toEqual([]);
});

test('the form that declares says where it is handled and announced, and nobody reads of it before it is sent', async () => {
  const { type, after, alice, form, general } = await openRoom();
  expect(await type('/incident declare Disk is full', general)).toEqual(unseen);
  expect(form()).toMatch(
    /^== Declare an incident ==\nEverybody in #alerts will see it, unless it is private\.\nTitle: \[Disk is full\]\nHow bad is it\?: /,
  );
  expect(form()).toContain('Who sees it? (optional): ( ) Private');
  const { typist, ...others } = await after(() => alice.submit({ private: ['private'] }));
  expect(typist).toEqual([expect.stringMatching(/^🚨 You declared incident 2/)]);
  expect({ ...others, typist: [] }, 'a private one is nobody else’s').toEqual(unseen);
});

test('an outage is one line of the room; what waits is the typist’s, and is done in order, with its own time', async () => {
  const grafana = await openFakeGrafana();
  const seats = await openSeats({ settings: grafana.settings });
  const { after, alice, bob, wendy, general, place } = seats;
  const room = await seats.declare();
  bob.join(room.id);
  grafana.fail({ when: /./, answer: 'hang up' });
  const waits = (count: string) =>
    `⏳ Grafana at ${new URL(grafana.settings.GRAFANA_URL ?? '').host} has not answered since Nov 20, 2026 12:17 PM. ${count} saved, and made as soon as it does.`;
  const task = await after(() => alice.command(room, '/task add Roll back 1141 @bob'));
  expect(task).toEqual({
    ...unseen,
    typist: [expect.stringMatching(/^⏳ Saved. I’ll add the task “Roll back 1141”/)],
    bystander: [waits('1 change is')],
  });
  const raised = await after(() => alice.command(room, '/incident severity critical'));
  expect({ ...raised, typist: [] }).toEqual({ ...unseen, bystander: [waits('2 changes are')] });
  expect(place.reads(wendy, room.id)[0]).toContain('⏳ As of ');
  const listed = await after(() => alice.command(room, '/task list'));
  expect(listed.typist.join('\n')).toContain('Roll back 1141');
  expect({ ...listed, typist: [] }).toEqual(unseen);
  const born = await after(() => alice.command(general, '/incident declare Payments are down --now'));
  expect({ ...born, typist: [] }).toEqual({
    ...unseen,
    announcements: [expect.stringMatching(/^⚪ PENDING · Payments are down\n⏳ Not registered yet/)],
  });
  const found = await after(() => bob.command(general, '/incident list'));
  expect(found, 'bob alone reads the list').toEqual(unseen);
  expect(place.lastRead(bob, general.id)).toContain(`⏳ ${phrases.unregistered} · Payments are down`);

  const back = await after(async () => {
    await place.muster.bot.journal.idle();
    grafana.heal();
    await expect
      .poll(() =>
        place.api.RolesService.GetRoles({}).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    await place.muster.bot.journal.wake();
  });
  const told = back.bystander.join('\n');
  expect(told).toContain('answers again');
  expect(told).toContain('@alice declared Payments are down');
  expect(told).toMatch(
    /@alice added task 1: “Roll back 1141”, for @bob · asked for .*12:17 PM\n🔴 Severity raised: minor → critical – @alice · asked for .*12:19 PM/,
  );
  expect(back.assignee).toEqual([expect.stringContaining('@alice gave you a task: “Roll back 1141”')]);
  expect(back.announcements).toEqual([expect.stringMatching(/went from minor to critical/)]);
  expect(back.typist.join('\n')).toContain('What you asked for earlier is done');
  expect(place.reads(wendy, room.id)[0]).not.toContain('As of ');
});
