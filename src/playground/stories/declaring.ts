import { startOfMinute } from 'date-fns/startOfMinute';
import { subMinutes } from 'date-fns/subMinutes';
import type { Scene } from '../story.ts';
import { cardSays, findRoom, learnNumber, readIncident, readTimeline } from './incident.ts';

/** Where monitoring says that the alert leads. */
const ruleLink = 'https://prometheus.example.com/graph';

export const alert: Scene = async ({ system, cast, check, transcript }) => {
  const { alice, carol, watchdog } = cast;
  transcript.scene(
    'An alert',
    'Monitoring sends an alert. Muster offers it in #incidents, and leaves the rest to people.',
  );
  const before = carol.reads('#incidents').length;
  await check('Muster offers the alert in one message, with its severity, its runbook and a button.', async expect => {
    await watchdog.alerts('Fire');
    const [offer = '', ...more] = carol.reads('#incidents').slice(before);
    expect(more.length === 0, 'one message');
    for (const part of ['Checkout', 'minor', 'Runbook', '[Declare]']) expect(offer.includes(part), part);
  });
  system.clock.pass(1);
  await alice.says('#checkout', 'I see it too: every third order fails when people pay by card.');
};

export const declareByForm: Scene = async story => {
  const { system, cast, check, transcript } = story;
  const { bob, carol } = cast;
  system.clock.pass(1);
  transcript.scene(
    'Bob declares an incident',
    'A press opens a form that holds what the alert says. He adds the rest.',
  );
  await check('The form opens with what the alert says.', async expect => {
    await bob.presses(bob.lastMessage('#incidents'), 'Declare');
    for (const [what, said] of [
      ['the title of the alert', /\[Checkout\w+\]/],
      ['its severity', /\[.*minor.*▾\]/i],
      ['its summary', /answer|hold|restarted/],
    ] as const) {
      expect(said.test(bob.form), `a form with ${what}`);
    }
  });
  await check('Bob asks for the rest of the form, and nothing that it holds is lost.', async expect => {
    await bob.pressesInForm('More options');
    expect(/\[Checkout\w+\]/.test(bob.form), 'the title of the alert still');
  });
  const started = subMinutes(startOfMinute(system.clock.now()), 4);
  await check('The API has it: active, minor, with its start, its label and the alert.', async expect => {
    await bob.submits('Declare', {
      'What is happening?': 'Checkout answers 500',
      'What is going on?': 'Every third order fails when people pay by card.',
      Labels: 'checkout',
      'Started at': started,
    });
    learnNumber(story, bob, '#incidents');
    const incident = await readIncident(story);
    expect(incident.title === 'Checkout answers 500', 'the title bob typed');
    expect(incident.status === 'active' && incident.severity === 'minor', 'active and minor');
    const hasLabel = incident.labels.some(each => each.label === 'checkout');
    expect(hasLabel, 'the label checkout');
    expect(Date.parse(incident.incidentStart) === started.getTime(), `a start at ${started.toISOString()}`);
    expect(incident.createdByUser.name === 'bob', 'bob as who declared it');
    const isEvidence = (await readTimeline(story)).some(item => item.body.includes(ruleLink));
    expect(isEvidence, 'the alert with its links on the timeline');
    expect(bob.form === '', 'a form that closed');
  });
  await check(
    'The incident has its channel: bob is in it, the topic has the title, the card is pinned.',
    async expect => {
      const room = findRoom(story);
      expect(room.members.has(bob.id), 'bob in the channel');
      expect(await cardSays(story, 'Checkout answers 500'), 'a card with the title');
      // The topic comes with the card.
      expect(!(await system.shown()) || room.topic.includes('Checkout answers 500'), 'a topic with the title');
    },
  );
  await check('#incidents has the card too, with the way to the channel.', expect => {
    const announcement = carol.lastRead('#incidents');
    expect(announcement.includes('Checkout answers 500'), 'an announcement with the title');
    expect(announcement.includes(`#${findRoom(story).name}`), 'an announcement with the way to the channel');
  });
  await check('The alert comes again: no second message, and no second incident.', async expect => {
    const before = [carol.reads('#incidents').length, system.slack.channels.length].join();
    await cast.watchdog.alerts('Repeat');
    const after = [carol.reads('#incidents').length, system.slack.channels.length].join();
    expect(after === before, 'as many messages in #incidents, and as many channels');
  });
};
