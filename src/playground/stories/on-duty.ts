import { type Message, renderMessage } from '../../fake-slack/fake-slack.ts';
import type { Actor } from '../actor.ts';
import type { Scene, Story, Tale } from '../story.ts';
import { findRoom, incidentOf, learnNumber, readIncident, shownCard } from './incident.ts';

/** What everybody in the room reads, each message as it stands now, oldest first. */
function inRoom(story: Story): readonly string[] {
  const { slack } = story.system;
  const shared = findRoom(story).messages.filter(each => each.ephemeralTo === undefined && !each.pinned);
  return shared.map(each => renderMessage(slack, each));
}

/** Waits until the room reads this, in one message: a line follows what it tells of in its own time. */
async function untilRead(story: Story, words: RegExp): Promise<void> {
  await story.until(() => inRoom(story).some(each => words.test(each)));
}

/** Whether somebody reads these words in the last message to them alone. */
function isTold({ system }: Story, who: Actor, words: string): boolean {
  const last = who.direct.messages.at(-1);
  return last !== undefined && renderMessage(system.slack, last).includes(words);
}

/** The last message to somebody alone. Throws when there is none. */
function lastAlone(who: Actor): Message {
  const last = who.direct.messages.at(-1);
  if (last === undefined) throw new Error(`Muster wrote nothing to ${who.name} alone.`);
  return last;
}

/** The newest message of the room that says this. Throws when there is none. */
function findInRoom(story: Story, words: string): Message {
  const { slack } = story.system;
  const found = findRoom(story).messages.findLast(each => renderMessage(slack, each).includes(words));
  if (found === undefined) throw new Error(`The channel does not read “${words}”.`);
  return found;
}

const call: Scene = async story => {
  const { system, cast, check, transcript } = story;
  const { alice, bob, carol } = cast;
  transcript.scene(
    'Who comes',
    'Nobody can pay. The setting CALL says that @sre is called to what is critical, and @sre-leads when nobody of it comes.',
  );
  await check('Those who are on duty are called: once in the channel, and each alone.', async expect => {
    await carol.types('#checkout', '/incident declare Nobody can pay --severity critical --now');
    learnNumber(story, carol, '#checkout');
    const question = `Incident ${incidentOf(story)} “Nobody can pay”`;
    await story.until(() => isTold(story, bob, question) && isTold(story, alice, question));
    await system.quiet();
    await untilRead(story, /Called @sre \(2\): … @alice · … @bob/);
    expect(inRoom(story).filter(each => each.includes('Called')).length === 1, 'one line about the call');
    for (const button of ['Coming in 5 min', 'Cannot', 'Open'])
      expect(isTold(story, alice, `[${button}]`), `the button ${button}`);
    for (const { id } of [alice, bob]) expect(findRoom(story).members.has(id), 'both in the channel');
  });
  system.clock.pass(1);
  await check('The same line says who comes and who cannot.', async () => {
    await bob.presses(lastAlone(bob), 'Cannot');
    await alice.presses(lastAlone(alice), 'Coming in 5 min');
    await untilRead(story, /Called @sre \(2\): ✓ @alice in 5 min · ✗ @bob/);
  });
};

const page: Scene = async story => {
  const { system, cast, check, transcript } = story;
  system.clock.pass(1);
  transcript.scene('A page', 'Those on call for the database have a pager of their own. Muster pages them through it.');
  await check('The pager takes the page once, and the channel reads who acknowledged it there.', async expect => {
    const before = system.pager.facts().pages.length;
    await cast.alice.types(findRoom(story), '/incident page database orders wait for a lock');
    expect(system.pager.facts().pages.length === before + 1, 'one page');
    system.clock.pass(1);
    await cast.root.acknowledges();
    await untilRead(story, /Paged database: orders wait for a lock.*acknowledged there by Root/);
  });
};

const owed: Scene = async story => {
  const { system, cast, check, transcript } = story;
  const { alice } = cast;
  transcript.scene('What is owed', 'Nobody leads, and then an update is promised. Neither passes in silence.');
  await check(
    'Three minutes without anybody who leads: the channel is reminded, with the button that ends it.',
    async () => {
      const what = 'looks into it, and nobody takes the lead for three minutes';
      await alice.waits(what, 2, () => untilRead(story, /Nobody has led this incident for/));
    },
  );
  await check('Alice takes command, and the reminder says that it is done.', async expect => {
    await alice.presses(findInRoom(story, 'Nobody has led this incident for'), 'Take command');
    const { assignments } = (await readIncident(story)).incidentMembership;
    expect(
      assignments.some(({ role, user }) => role.name === 'commander' && user.name === 'alice'),
      'alice as commander in the API',
    );
    await untilRead(story, /No longer owed: the lead/);
  });
  system.clock.pass(1);
  await check('An update is posted with its promise.', async () => {
    await alice.types(findRoom(story), '/incident update Orders wait for a lock. We look for who holds it. --next 2m');
    await untilRead(story, /next by .*\n.*We look for who holds it/);
  });
};

const late: Scene = async story => {
  const { cast, check, transcript } = story;
  const { root } = cast;
  transcript.scene('Who joins late', 'Root held the pager. A press tells what happened, and asks nobody.');
  await check('Root reads alone, on one screen, how it stands and what happened.', async expect => {
    await root.joins(findRoom(story));
    await root.presses(await shownCard(story), 'Catch me up');
    const read = root.lastRead(findRoom(story));
    for (const fact of ['Nobody can pay', 'Commander: alice', 'Orders wait for a lock'])
      expect(read.includes(fact), `“${fact}”, and there was ${read}`);
  });
};

const kept: Scene = async story => {
  const { cast, check, transcript } = story;
  const { alice } = cast;
  const room = findRoom(story);
  transcript.scene('The promise is kept', 'Alice is reminded before the update is due, alone.');
  await check('Alice reads alone that the update that she promised is due.', async () => {
    await alice.waits('works on it, and a minute passes', 1, () =>
      story.until(() => isTold(story, alice, 'The update that you promised')),
    );
  });
  await check('She presses Snooze, posts the update after all, and nothing is owed.', async expect => {
    await alice.presses(lastAlone(alice), 'Snooze 15 min');
    expect(isTold(story, alice, 'Snoozed until'), 'that it is snoozed');
    await alice.types(room, '/incident update A report held the lock, and is stopped. People can pay.');
    await story.until(() => isTold(story, alice, 'No longer owed: the next update'));
  });
  await check('It is over, for the pager too.', async expect => {
    await alice.types(room, '/incident resolve A report held the lock. It runs on a replica now. --now');
    expect((await readIncident(story)).status === 'resolved', 'status resolved in the API');
    await story.until(() => story.system.pager.facts().pages.at(-1)?.state === 'over');
  });
};

/** A grave incident: people are called and paged, nothing that is owed passes in silence, and who joins late is caught up. */
export const onDuty: Tale = {
  title: 'Muster runs a grave incident',
  introduction: [
    'Nobody can pay. Carol hears of it from customers, Alice and Bob are on duty, Root is on call for the database.',
  ],
  // Its clock jumps where everybody waits.
  settings: { REMINDERS: 'on' },
  scenes: [call, page, owed, late, kept],
  plot: [
    'Carol declares a critical incident. Those on duty are called.',
    'Bob cannot come.',
    'Alice comes in 5 minutes.',
    'Alice pages those on call for the database.',
    'Root acknowledges the page in the pager.',
    'Nobody takes the lead for three minutes. The channel is reminded.',
    'Alice takes command with the button below the reminder.',
    'Alice posts an update, and promises the next one in 2 minutes.',
    'Root joins the incident’s channel.',
    'Root presses Catch me up on the card.',
    'A minute later Alice is reminded, alone, that the update is due.',
    'Alice snoozes the reminder.',
    'Alice posts the update. Nothing is owed any more.',
    'Alice resolves the incident. Its page is over in the pager.',
  ],
};
