import type { Actor } from '../actor.ts';
import type { Expect } from '../checks.ts';
import { type Message, renderMessage } from '../fake-slack/fake-slack.ts';
import type { Scene, Story, Tale } from '../story.ts';
import { findCard, findRoom, incidentOf, learnNumber, numbersOf, readIncident } from './incident.ts';

/** What is wrong. */
const title = 'Nobody can pay';

/** What everybody in the room reads beside the card, oldest first, each message that has all these words. */
function allInRoom(story: Story, ...words: readonly string[]): readonly Message[] {
  const { slack } = story.system;
  return findRoom(story).messages.filter(each => {
    const text = renderMessage(slack, each);
    return each.ephemeralTo === undefined && !each.pinned && words.every(some => text.includes(some));
  });
}

/** The newest message of the room that has all these words. Throws when there is none. */
function findInRoom(story: Story, ...words: readonly string[]): Message {
  const found = allInRoom(story, ...words).at(-1);
  if (found === undefined) throw new Error(`The channel does not read “${words.join(' … ')}”.`);
  return found;
}

/** The last message about the incident to somebody alone. Throws when there is none. */
function lastAlone(story: Story, who: Actor): Message {
  const { slack } = story.system;
  const named = new RegExp(`incident ${incidentOf(story)}\\b`, 'i');
  const last = who.direct.messages.findLast(each => named.test(renderMessage(slack, each)));
  if (last === undefined) throw new Error(`Muster wrote nothing about the incident to ${who.name} alone.`);
  return last;
}

/** Expects that somebody reads these words in the last message about the incident to them alone. */
function expectAlone(story: Story, expect: Expect, who: Actor, ...all: readonly string[]): void {
  const text = renderMessage(story.system.slack, lastAlone(story, who));
  for (const words of all) expect(text.includes(words), `“${words}” to ${who.name} alone`);
}

const call: Scene = async story => {
  const { system, cast, check, transcript } = story;
  const { alice, bob, carol } = cast;
  transcript.scene(
    'Who comes',
    'Nobody can pay. The setting CALL says that @sre is called to what is critical, and @sre-leads when nobody of it comes.',
  );
  const before = await numbersOf(story, title);
  await check('Those who are on duty are called: once in the channel, and each alone.', {
    act: () => carol.types('#checkout', `/incident declare ${title} --severity critical --now`),
    look: async expect => {
      await learnNumber(story, title, before);
      for (const who of [alice, bob]) {
        expectAlone(story, expect, who, `“${title}”`, '[Coming in 5 min]', '[Cannot]', '[Open]');
        expect(findRoom(story).members.has(who.id), `${who.name} in the channel`);
      }
      findInRoom(story, 'Called @sre (2): … @alice · … @bob');
      expect(allInRoom(story, 'Called').length === 1, 'one line about the call');
    },
  });
  system.clock.pass(1);
  await check('The same line says who comes and who cannot.', {
    act: async () => {
      await bob.presses(lastAlone(story, bob), 'Cannot');
      await alice.presses(lastAlone(story, alice), 'Coming in 5 min');
    },
    look: () => void findInRoom(story, 'Called @sre (2): ✓ @alice in 5 min · ✗ @bob'),
  });
};

const page: Scene = async story => {
  const { system, cast, check, transcript } = story;
  const { pager } = system;
  system.clock.pass(1);
  transcript.scene('A page', 'Those on call for the database have a pager of their own. Muster pages them through it.');
  const before = pager.facts().pages.map(each => each.key);
  await check('The pager takes the page, once.', {
    act: () => cast.alice.types(findRoom(story), '/incident page database orders wait for a lock'),
    look: expect => {
      const fresh = pager.facts().pages.filter(each => !before.includes(each.key));
      expect(fresh.length === 1, 'one page');
    },
  });
  system.clock.pass(1);
  await check('The channel reads who acknowledged it there.', {
    act: () => cast.root.acknowledges(),
    look: () => void findInRoom(story, 'Paged database: orders wait for a lock', 'acknowledged there by Root'),
  });
};

const owed: Scene = async story => {
  const { system, cast, check, transcript } = story;
  const { alice } = cast;
  transcript.scene('What is owed', 'Nobody leads, and then an update is promised. Neither passes in silence.');
  await check('Three minutes without anybody who leads: the channel is reminded, with the button that ends it.', {
    act: () => alice.waits('looks into it, and nobody takes the lead for three minutes', 2),
    look: () => void findInRoom(story, 'Nobody has led this incident for', '[Take command]'),
    within: system.deadlines.playground.time,
  });
  await check('Alice takes command, and the reminder says that it is done.', {
    act: () => alice.presses(findInRoom(story, 'Nobody has led this incident for'), 'Take command'),
    look: async expect => {
      const { assignments } = (await readIncident(story)).incidentMembership;
      expect(
        assignments.some(({ role, user }) => role.name === 'commander' && user.name === 'alice'),
        'alice as commander in the API',
      );
      findInRoom(story, 'No longer owed: the lead');
    },
  });
  system.clock.pass(1);
  await check('An update is posted with its promise.', {
    act: () =>
      alice.types(findRoom(story), '/incident update Orders wait for a lock. We look for who holds it. --next 2m'),
    look: () => void findInRoom(story, 'next by', 'We look for who holds it'),
  });
};

const late: Scene = async story => {
  const { cast, check, transcript } = story;
  const { root } = cast;
  transcript.scene('Who joins late', 'Root held the pager. A press tells what happened, and asks nobody.');
  await check('Root reads alone, on one screen, how it stands and what happened.', {
    act: async () => {
      await root.joins(findRoom(story));
      await root.presses(findCard(story), 'Catch me up');
    },
    look: expect => {
      const read = root.form;
      for (const fact of [title, 'Commander: alice', 'Orders wait for a lock'])
        expect(read.includes(fact), `“${fact}”, and there was ${read}`);
    },
  });
};

const kept: Scene = async story => {
  const { system, cast, check, transcript } = story;
  const { alice } = cast;
  transcript.scene('The promise is kept', 'Alice is reminded before the update is due, alone.');
  await check('Alice reads alone that the update that she promised is due.', {
    act: () => alice.waits('works on it, and a minute passes', 1),
    look: expect => expectAlone(story, expect, alice, 'The update that you promised', '[Snooze 15 min]'),
    within: system.deadlines.playground.time,
  });
  await check('She puts the reminder off.', {
    act: () => alice.presses(lastAlone(story, alice), 'Snooze 15 min'),
    look: expect => expectAlone(story, expect, alice, 'Snoozed until'),
  });
  await check('She posts the update after all, and nothing is owed.', {
    act: () => alice.types(findRoom(story), '/incident update A report held the lock, and is stopped. People can pay.'),
    look: expect => expectAlone(story, expect, alice, 'No longer owed: the next update'),
  });
  await check('It is over, for the pager too.', {
    act: () =>
      alice.types(findRoom(story), '/incident resolve A report held the lock. It runs on a replica now. --now'),
    look: async expect => {
      expect((await readIncident(story)).status === 'resolved', 'status resolved in the API');
      expect(story.system.pager.facts().pages.at(-1)?.state === 'over', 'the page as over in the pager');
    },
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
