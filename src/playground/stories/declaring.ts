import type { Scene } from '../story.ts';
import { findRoom, readCard, readIncident, readTimeline } from './incident.ts';

const alertLink = 'https://grafana.example.com/alerting/grafana/checkout-errors';

export const alert: Scene = async ({ system, cast, check, transcript }) => {
  const { alice, watchdog } = cast;
  transcript.scene('An alert', 'Another app posts an alert. Nobody has asked Muster for anything yet.');
  await check('Muster says nothing, because nobody asked it.', async expect => {
    const alarm = '[FIRING] CheckoutErrors: 31 % of POST /orders answer 500, for 2 min';
    await watchdog.says('#checkout', `${alarm}\n${alertLink}`);
    system.clock.pass(1);
    await alice.says('#checkout', 'I see it too: every third order fails when people pay by card.');
    const messages = system.slack.channels.flatMap(channel => channel.messages);
    const own = messages.filter(message => message.botId === system.slack.botId);
    expect(own.length === 0, 'no message of Muster anywhere');
  });
};

export const declareByForm: Scene = async story => {
  const { system, cast, check, transcript } = story;
  const { bob, carol } = cast;
  system.clock.pass(1);
  transcript.scene('Bob declares an incident', 'A command opens a form that holds what Bob typed. He adds the rest.');
  await check('The form opens with what bob typed.', async expect => {
    await bob.types('#checkout', '/incident declare Checkout answers 500 --severity minor --label checkout');
    for (const typed of ['[Checkout answers 500]', '[minor ▾]', '[checkout]']) {
      expect(bob.form.includes(typed), `a form with ${typed}`);
    }
  });
  await check('The API has incident 1: active, minor, started at 02:05, with label and link.', async expect => {
    await bob.submits('Declare', {
      'Started at': new Date('2026-03-14T02:05:00Z'),
      Link: alertLink,
      'Caption of the link': 'The alert',
    });
    const incident = await readIncident(story);
    expect(incident.title === 'Checkout answers 500', 'the title bob typed');
    expect(incident.status === 'active' && incident.severity === 'minor', 'active and minor');
    const hasLabel = incident.labels.some(each => each.label === 'checkout');
    expect(hasLabel, 'the label checkout');
    expect(incident.incidentStart.startsWith('2026-03-14T02:05'), 'a start at 02:05');
    expect(incident.createdByUser.name === 'bob', 'bob as who declared it');
    const links = (await readTimeline(story)).filter(item => item.activityKind === 'contextAttached');
    expect(JSON.stringify(links).includes(alertLink), 'the link to the alert');
    expect(bob.form === '', 'a form that closed');
    expect(bob.lastRead('#checkout').includes('Incident 1 is declared'), 'a receipt for bob in #checkout');
  });
  await check('The incident has its channel: bob is in it, the topic has the title, the card is pinned.', expect => {
    const room = findRoom(story);
    expect(room.members.has(bob.id), 'bob in the channel');
    expect(room.topic.includes('Checkout answers 500'), 'a topic with the title');
    expect(readCard(story).includes('Checkout answers 500'), 'a card with the title');
  });
  await check('#incidents has the card too, with the way to the channel.', expect => {
    const announcement = carol.lastRead('#incidents');
    expect(announcement.includes('Checkout answers 500'), 'an announcement with the title');
    expect(announcement.includes(`#${findRoom(story).name}`), 'an announcement with the way to the channel');
  });
};
