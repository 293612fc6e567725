import { findRoom, learnNumber } from '../../../playground/stories/incident.ts';
import { openSteps } from '../../../playground/stories/steps.ts';
import type { Scene } from '../../../playground/story.ts';

const card = { id: 'declare', name: 'Declare incident' };
const fromMessage = { id: 'declare_message', name: 'Declare incident' };

/** Declares incidents in each way. The first is the one that the rest of the tour is about. */
export const declaring: Scene = async story => {
  const { cast, transcript, system } = story;
  const { alice, bob, carol, watchdog } = cast;
  transcript.scene(
    'Declaring',
    'By command, by form, from a message, from the menu of Slack, and when it is over already.',
  );
  const { types, submits, chooses } = openSteps(story, '#checkout');
  await types(bob, '/incident declare Checkout answers 500 --severity minor', 'Declare an incident');
  await story.check('Bob sees what the form asks seldom.', {
    act: () => bob.pressesInForm('More options'),
    look: expect => expect(bob.form.includes('Labels'), `labels, and there was ${bob.form}`),
  });
  await submits(bob, 'Declare', {}, 'You declared');
  await learnNumber(story, 'Checkout answers 500');
  await story.check('Carol joins from the channel where it was declared.', {
    act: async () => {
      const told = system.slack
        .channel('#checkout')
        .messages.find(message => message.text.includes('declared') && !message.ephemeralTo);
      if (told === undefined) throw new Error('#checkout reads nothing of the incident.');
      await carol.presses(told, 'Join');
    },
    look: expect => expect(findRoom(story).members.has(carol.id), 'carol in the incident’s channel'),
  });
  const alert = await watchdog.says('#checkout', '[FIRING] PaymentLatency: p99 is 9 s');
  await chooses(alice, alert, fromMessage, 'Declare an incident');
  await submits(alice, 'Declare', { Title: 'Payment is slow' }, 'You declared');
  await learnNumber(story, 'Payment is slow');
  await alice.chooses('Slack’s menu', card);
  await story.check('That incident has a channel too.', {
    act: () => alice.submits('Declare', { Title: 'Search is empty' }),
    look: expect =>
      expect(
        system.slack.channels.some(channel => channel.name.endsWith('-search-is-empty')),
        'its channel',
      ),
  });
  await types(
    bob,
    '/incident declare Mail was late --resolved --started 2026-03-13 20:00 --ended 2026-03-13 21:00 --now',
    'as over',
  );
  for (let each = 5; each <= 14; each += 1) {
    const more = { title: `Region ${each} is slow`, severity: 'minor', status: 'resolved', labels: [] } as const;
    await system.operator.IncidentsService.CreateIncident({ ...more, labels: [] });
  }
};

/** Changes what an incident says of itself. */
export const changing: Scene = async story => {
  const { alice, bob } = story.cast;
  story.transcript.scene('The incident itself', 'Its severity, title, labels and times, and whether it is a drill.');
  const room = findRoom(story);
  const { types, presses, submits, pressesOnCard } = openSteps(story, room);
  await alice.joins(room);
  await types(bob, '/incident status', 'Checkout answers 500');
  await presses(bob, 'Post to channel', 'Posted for everybody in this channel');
  await types(bob, '/incident list', 'Region 14');
  await presses(bob, 'Post to channel', 'Posted for everybody in this channel');
  await types(bob, '/incident list', 'Region 14');
  await presses(bob, 'More resolved ones', 'Region 9');
  await presses(bob, 'Open', 'Region 5 is slow', { near: 'Region 5' });
  await types(bob, '/incident severity major', 'major');
  await pressesOnCard(bob, 'Edit', 'How bad is it?');
  await submits(bob, 'Save', { 'How bad is it?': 'critical' }, 'critical');
  await types(bob, '/incident update Payment fails for one in five. --next 30m', 'You posted');
  await pressesOnCard(bob, 'Update', 'What happened?');
  await submits(bob, 'Post', { 'What happened?': 'We roll back release 1141.' }, 'You posted');
  await types(bob, '/incident title Checkout is slow', 'You renamed');
  await types(bob, '/incident summary Payment fails in the EU.', 'You set the summary');
  await types(bob, '/incident edit', 'Summary');
  await submits(bob, 'Save', { Summary: 'Payment fails everywhere.' }, 'You set the summary');
  await pressesOnCard(bob, 'Edit', 'Title');
  await submits(bob, 'Save', { Title: 'Checkout answers 503' }, 'You renamed');
  await types(bob, '/incident label payments', 'You added the label');
  await types(bob, '/incident unlabel payments', 'You took the label');
  await types(bob, '/incident drill on', 'You marked');
  await types(bob, '/incident drill off', 'You marked');
  await types(bob, '/incident receipts', 'each change is a line');
  await types(bob, '/incident receipts thread', 'in the card’s thread');
  await types(bob, '/incident receipts channel', 'a line in the channel');
  await types(bob, '/incident started 02:30', 'You set the start');
  await pressesOnCard(bob, 'Edit', 'Started at');
  await submits(bob, 'Save', { 'Started at': new Date('2026-03-14T02:00:00Z') }, 'You set the start');
  await types(bob, '/incident ended 10m ago', 'You set the end');
};

/** Ends an incident, and opens it again. */
export const ending: Scene = async story => {
  const { bob } = story.cast;
  story.transcript.scene('The end', 'It is resolved, opened again, and resolved for good.');
  const room = findRoom(story);
  const { types, submits, pressesOnCard } = openSteps(story, room);
  const [, other] = story.declared;
  await types(bob, `/incident resolve Payment is fast. --now --incident ${other}`, 'You resolved');
  await types(bob, `/incident reopen --incident ${other}`, 'You reopened');
  await pressesOnCard(bob, 'Resolve', 'What happened');
  await submits(bob, 'Resolve', { 'What happened, and what ended it?': 'The rollback cured it.' }, 'You resolved');
  await pressesOnCard(bob, 'Reopen', 'You reopened');
  await types(bob, '/incident resolve The rollback cured it for good. --now', 'You resolved');
};

/** Takes up what comes next, once an incident is over. */
export const afterwards: Scene = async story => {
  const { bob } = story.cast;
  story.transcript.scene('What comes next', 'The record, the right times, and what becomes of the channel.');
  const room = findRoom(story);
  const { types, presses, submits } = openSteps(story, room);
  const pressesNext = async (button: string, words: string) => {
    const message = room.messages.findLast(each => each.text.includes('What comes next'));
    if (message === undefined) throw new Error('Nothing says what comes next.');
    await presses(bob, button, words, { message });
  };
  await pressesNext('Export record', 'I sent you the record');
  await pressesNext('Fill in times', 'Started at');
  await submits(bob, 'Save', { 'Started at': new Date('2026-03-14T02:01:00Z') }, 'You set the start');
  await pressesNext('Archive in 7 days', 'to be archived');
  await pressesNext('Keep open', 'You kept');
  await pressesNext('Another day', 'When?');
  await submits(bob, 'Save', { 'When?': '14' }, 'to be archived');
  await types(bob, '/incident archive off', 'You kept');
  await types(bob, '/incident record', 'I sent you the record');
};
