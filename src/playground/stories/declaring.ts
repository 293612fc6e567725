import { startOfMinute } from 'date-fns/startOfMinute';
import { subMinutes } from 'date-fns/subMinutes';
import type { Scene } from '../story.ts';
import { cardSays, findRoom, learnNumber, readIncident, readTimeline } from './incident.ts';

const alertLink = 'https://grafana.example.com/alerting/grafana/checkout-errors';

export const alert: Scene = async ({ system, cast, check, transcript }) => {
  const { alice, watchdog } = cast;
  transcript.scene('An alert', 'Another app posts an alert. Nobody has asked Muster for anything yet.');
  const countOwn = () =>
    system.slack.channels.flatMap(channel => channel.messages).filter(({ botId }) => botId === system.slack.botId)
      .length;
  const before = countOwn();
  await check('Muster says nothing, because nobody asked it.', async expect => {
    const alarm = '[FIRING] CheckoutErrors: 31 % of POST /orders answer 500, for 2 min';
    await watchdog.says('#checkout', `${alarm}\n${alertLink}`);
    system.clock.pass(1);
    await alice.says('#checkout', 'I see it too: every third order fails when people pay by card.');
    expect(countOwn() === before, 'no new message of Muster anywhere');
  });
};

export const declareByForm: Scene = async story => {
  const { system, cast, check, transcript } = story;
  const { bob, carol } = cast;
  system.clock.pass(1);
  transcript.scene('Bob declares an incident', 'A command opens a form that holds what Bob typed. He adds the rest.');
  await check('The form opens with what bob typed.', async expect => {
    await bob.types('#checkout', '/incident declare Checkout answers 500 --severity minor --label checkout');
    for (const typed of [/\[Checkout answers 500\]/, /\[.*minor.*▾\]/i, /\[checkout\]/]) {
      expect(typed.test(bob.form), `a form with ${typed.source.replaceAll('\\', '')}`);
    }
  });
  const started = subMinutes(startOfMinute(system.clock.now()), 4);
  await check('The API has it: active, minor, with its start, label and link.', async expect => {
    await bob.submits('Declare', {
      'Started at': started,
      'What is going on?': 'Every third order fails when people pay by card.',
      Link: alertLink,
      'Caption of the link': 'The alert',
    });
    learnNumber(story, bob, '#checkout');
    const incident = await readIncident(story);
    expect(incident.title === 'Checkout answers 500', 'the title bob typed');
    expect(incident.status === 'active' && incident.severity === 'minor', 'active and minor');
    const hasLabel = incident.labels.some(each => each.label === 'checkout');
    expect(hasLabel, 'the label checkout');
    expect(Date.parse(incident.incidentStart) === started.getTime(), `a start at ${started.toISOString()}`);
    expect(incident.createdByUser.name === 'bob', 'bob as who declared it');
    const links = (await readTimeline(story)).filter(item => item.activityKind === 'contextAttached');
    expect(JSON.stringify(links).includes(alertLink), 'the link to the alert');
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
};
