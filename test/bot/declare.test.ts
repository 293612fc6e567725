import { expect, test } from 'vitest';
import { openWorkplace } from '../harness.ts';

test('declaring by form: incident, channel, card, announcement and receipt', async () => {
  const place = await openWorkplace();
  const { slack, api } = place;
  const alice = slack.addPerson({ name: 'alice', tz: 'Europe/Berlin' });
  const general = slack.addChannel({ name: 'general', members: [alice] });

  await alice.command(general, '/incident declare Checkout answers 500 --severity major --label checkout');
  await place.quiet();
  expect(alice.view).toBeDefined();
  await alice.submit({});
  await place.quiet();
  console.log(place.reads(alice, 'general').join('\n----\n'));
  console.log(slack.channels.map(c => c.name));
  console.log(place.reads(alice, slack.channels.at(-1)!.name).join('\n----\n'));
  const { incident } = await api.IncidentsService.GetIncident({ incidentID: '1' });
  console.log(incident);
});
