import { startOfMinute } from 'date-fns/startOfMinute';
import { subMinutes } from 'date-fns/subMinutes';
import { announceChannel } from '../cast.ts';
import { type Message, renderMessage } from '../fake-slack/fake-slack.ts';
import type { Scene, Story } from '../story.ts';
import {
  findRoom,
  learnNumber,
  numbersOf,
  readAnnouncement,
  readCard,
  readIncident,
  readTimeline,
  title,
} from './incident.ts';

/** The alert of the story. */
const alertName = 'CheckoutErrors';
/** Where monitoring says that the alert leads. */
const ruleLink = 'https://prometheus.example.com/graph';

/** The offers of that alert that nobody has taken up, oldest first. */
function offers({ system }: Story): readonly Message[] {
  const isOffer = (each: Message) => {
    const words = renderMessage(system.slack, each);
    return words.includes(alertName) && words.includes('[Declare]');
  };
  return system.slack.channel(announceChannel).messages.filter(isOffer);
}

export const alert: Scene = async story => {
  const { system, cast, check, transcript } = story;
  transcript.scene(
    'An alert',
    'Monitoring sends an alert. Muster offers it in #incidents, and leaves the rest to people.',
  );
  const before = offers(story);
  await check('Muster offers the alert in one message, with its severity, its runbook and a button.', {
    act: () => cast.watchdog.alerts('Fire', alertName),
    look: expect => {
      const fresh = offers(story).filter(each => !before.includes(each));
      expect(fresh.length === 1, 'one message');
      for (const part of ['minor', 'Runbook'])
        expect(
          fresh.every(each => renderMessage(system.slack, each).includes(part)),
          part,
        );
    },
  });
  system.clock.pass(1);
  await cast.alice.says('#checkout', 'I see it too: every third order fails when people pay by card.');
};

export const declareByForm: Scene = async story => {
  const { system, cast, check, transcript } = story;
  const { bob, carol } = cast;
  system.clock.pass(1);
  transcript.scene(
    'Bob declares an incident',
    'A press opens a form that holds what the alert says. He adds the rest.',
  );
  await check('The form opens with what the alert says.', {
    act: async () => {
      const offer = offers(story).at(-1);
      if (offer === undefined) throw new Error('Nobody is offered the alert.');
      await bob.presses(offer, 'Declare');
    },
    look: expect => {
      for (const [what, said] of [
        ['the title of the alert', /\[Checkout\w+\]/],
        ['its severity', /\[.*minor.*▾\]/i],
        ['its summary', /answer 500/],
      ] as const) {
        expect(said.test(bob.form), `a form with ${what}`);
      }
    },
  });
  await check('Bob asks for the rest of the form, and nothing that it holds is lost.', {
    act: () => bob.pressesInForm('More options'),
    look: expect => {
      expect(bob.form.includes('Labels'), 'the rest of the form');
      expect(/\[Checkout\w+\]/.test(bob.form), 'the title of the alert still');
    },
  });
  const started = subMinutes(startOfMinute(system.clock.now()), 4);
  const before = await numbersOf(story, title);
  await check('The API has it: active, minor, with its start, its label and the alert.', {
    act: () =>
      bob.submits('Declare', {
        Title: title,
        Summary: 'Every third order fails when people pay by card.',
        Labels: 'checkout',
        'Started at': started,
      }),
    look: async expect => {
      await learnNumber(story, title, before);
      const incident = await readIncident(story);
      expect(incident.title === title, 'the title bob typed');
      expect(incident.status === 'active' && incident.severity === 'minor', 'active and minor');
      const hasLabel = incident.labels.some(each => each.label === 'checkout');
      expect(hasLabel, 'the label checkout');
      expect(Date.parse(incident.incidentStart) === started.getTime(), `a start at ${started.toISOString()}`);
      expect(incident.createdByUser.name === 'bob', 'bob as who declared it');
      const isEvidence = (await readTimeline(story)).some(item => item.body.includes(ruleLink));
      expect(isEvidence, 'the alert with its links on the timeline');
      expect(bob.form === '', 'a form that closed');
    },
  });
  await check('The incident has its channel: bob is in it, the topic has the title, the card is pinned.', {
    look: expect => {
      const room = findRoom(story);
      expect(room.members.has(bob.id), 'bob in the channel');
      expect(readCard(story).includes(title), 'a card with the title');
      expect(room.topic.includes(title), 'a topic with the title');
    },
  });
  await check('#incidents has the card too, with the way to the channel.', {
    look: () => void readAnnouncement(story, carol),
  });
  const counts = () => {
    const { botId, channels, channel } = system.slack;
    return [channel(announceChannel).messages.filter(each => each.botId === botId).length, channels.length].join();
  };
  let count = '';
  await check('The alert comes again: no second message, and no second incident.', {
    act: () => {
      count = counts();
      return cast.watchdog.alerts('Repeat');
    },
    look: expect => expect(counts() === count, 'as many messages in #incidents, and as many channels'),
  });
};
