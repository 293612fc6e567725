import { renderView } from '../../../fake-slack/fake-slack.ts';
import { cardOf, lastRead, type Play, readIncident, reads, roomOf } from '../facts.ts';

/** An alert in a channel, and somebody who says what they see. */
export async function alert(play: Play): Promise<void> {
  const { stage, hands, steps, transcript } = play;
  const { watchdog, alice } = stage.cast;
  transcript.scene('An alert');
  await steps.step('Muster keeps out of what is not addressed to it.', async expect => {
    await hands.says(
      watchdog,
      '#checkout',
      '[FIRING] CheckoutErrors: 31 % of POST /orders answer 500, for 2 min\nhttps://grafana.example.com/alerting/grafana/checkout-errors',
    );
    stage.clock.pass(1);
    await hands.says(alice, '#checkout', 'I see it too: every third order fails when people pay by card.');
    const own = stage.slack.channels
      .flatMap(channel => channel.messages)
      .filter(each => each.botId === stage.slack.botId);
    expect(own.length === 0, 'no message of Muster anywhere');
  });
}

/** Somebody else declares the incident by form. */
export async function declareByForm(play: Play): Promise<void> {
  const { stage, hands, steps, transcript } = play;
  const { slack } = stage;
  const { bob } = stage.cast;
  stage.clock.pass(1);
  transcript.scene('Bob declares an incident');
  await steps.step('The form opens with what bob typed.', async expect => {
    await hands.types(bob, '#checkout', '/incident declare Checkout answers 500 --severity minor --label checkout');
    const form = bob.view ? renderView(slack, bob.view) : '';
    for (const typed of ['[Checkout answers 500]', '[minor ▾]', '[checkout]']) {
      expect(form.includes(typed), `a form with ${typed}`);
    }
  });
  await steps.step(
    'The API has incident 1, active and minor, begun when the alert says, with label and link.',
    async expect => {
      await hands.submits(bob, 'Declare', {
        'Started at': new Date('2026-03-14T02:05:00Z'),
        Link: 'https://grafana.example.com/alerting/grafana/checkout-errors',
        'Caption of the link': 'The alert',
      });
      const incident = await readIncident(play);
      expect(incident.title === 'Checkout answers 500', 'the title bob typed');
      expect(incident.status === 'active' && incident.severity === 'minor', 'active and minor');
      expect(
        incident.labels.some(each => each.label === 'checkout'),
        'the label checkout',
      );
      expect(incident.incidentStart.startsWith('2026-03-14T02:05'), 'a start at 02:05');
      expect(incident.createdByUser.name === 'bob', 'bob as who declared it');
      expect(bob.view === undefined, 'a form that closed');
      expect(lastRead(play, bob, '#checkout').includes('Incident 1 is declared'), 'a receipt for bob in #checkout');
    },
  );
  await steps.step(
    'Its channel is there: bob is in it, the topic says what it is about, the card is pinned.',
    async expect => {
      const room = roomOf(play);
      expect(room.members.has(bob.id), 'bob in the channel');
      expect(room.topic.includes('Checkout answers 500'), 'a topic with the title');
      expect(reads(play, cardOf(play)).includes('Checkout answers 500'), 'a card with the title');
    },
  );
  await steps.step('#incidents knows of it and of its channel.', async expect => {
    const announcement = lastRead(play, stage.cast.carol, '#incidents');
    expect(announcement.includes('Checkout answers 500'), 'an announcement with the title');
    expect(announcement.includes(`#${roomOf(play).name}`), 'an announcement with the way to the channel');
  });
}
