import { expect, onTestFinished, test } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { openHttpTransport } from '../../src/client/transport.ts';
import { makeDatabase } from '../support/databases/fresh.ts';
import { patient } from '../support/deadlines.ts';
import { secret, sign } from '../support/elsewhere.ts';
import { openFakeGrafana } from '../support/fake-grafana.ts';
import { declareNow } from '../support/incident-room.ts';
import { TestTimers } from '../support/timers.ts';
import { openInstalledSlack, openWorkplace } from '../support/workplace.ts';

/** Two replicas of Muster on one database, and a Grafana that another client changes. */
async function openTwo(hears: boolean) {
  const database = await makeDatabase();
  onTestFinished(() => database[Symbol.asyncDispose]());
  const [grafana, slack] = [await openFakeGrafana(), await openInstalledSlack()];
  const webhooks = hears ? { INCIDENT_WEBHOOK_SECRET: secret } : {};
  const settings = { ...grafana.settings, ...webhooks, DATABASE_URL: database.url };
  const all = [new TestTimers(() => undefined), new TestTimers(() => undefined)] as const;
  const anne = await openWorkplace({ slack, settings, timers: all[0] });
  const bert = await openWorkplace({ slack, settings, timers: all[1] });
  if (hears) for (const { muster } of [anne, bert]) await grafana.webhooks.add(`${muster.url}/hooks/incident`, secret);
  const alice = slack.addPerson({ name: 'alice' });
  const general = slack.addChannel({ name: 'general', members: [alice], botIsMember: true });
  // Slack delivers to the one that was opened last.
  const room = await declareNow(bert, alice, general, 'Disk is full');
  const transport = openHttpTransport({ baseUrl: grafana.url });
  onTestFinished(() => transport[Symbol.asyncDispose]());
  return {
    room,
    elsewhere: createClient({ ...patient().api, transport, token: grafana.settings.GRAFANA_TOKEN }),
    /** Both replicas hear of what happened, at the same time. */
    hear: async () => {
      if (hears) await grafana.webhooks.taken();
      else await Promise.all(all.map(timers => timers.fire(10_000)));
      await Promise.all([anne, bert].map(place => place.quiet()));
      for (const place of [anne, bert]) await place.quiet();
    },
    card: () => anne.reads(alice, room.id)[0] ?? '',
    lines: () => anne.reads(alice, room.id).filter(each => each.includes(sign)),
  };
}

test.each([
  ['looks', false],
  ['webhooks to both', true],
])('two replicas that hear of a change by %s tell the room once', async (_how, hears) => {
  const { room, elsewhere, hear, card, lines } = await openTwo(hears);
  await hear();
  await elsewhere.IncidentsService.UpdateStatus({ incidentID: '1', status: 'resolved' });
  await hear();
  expect(room.topic).toContain('Resolved');
  expect(lines()).toHaveLength(1);
  await elsewhere.IncidentsService.UpdateSeverity({ incidentID: '1', severity: 'major' });
  await hear();
  expect(card()).toContain('Severity 🟠 major');
  expect(
    lines()
      .join('\n')
      .match(/the severity from pending to major/g),
  ).toHaveLength(1);
  expect(
    lines()
      .join('\n')
      .match(/resolved the incident/g),
  ).toHaveLength(1);
});
