import type { Chapter } from './chapter.ts';

/** The token of the source of alerts that the team has. */
export const alertToken = 'a-token-of-the-readings';

/** Alerts: one is muted, declared, grows, ends and fires again; another one is added; many come together. */
export const alerts: Chapter = async stage => {
  const { alice, bob } = stage.people;
  const { words, incidents } = stage;
  const at = { channel: incidents };
  const send = (name: string, status: 'firing' | 'resolved', instances = ['web-1'], startsAt = stage.now()) =>
    stage.act(`${name} is ${status}`, async () => {
      const common = {
        alertname: words.many(name, 1, 140),
        severity: 'critical',
        service: words.many('Service', 1, 50),
      };
      const notes = { summary: words.said.slice(0, 500), runbook_url: 'https://runbooks.example.com/1' };
      const endsAt = status === 'resolved' ? stage.now().toISOString() : '0001-01-01T00:00:00Z';
      const body = {
        ...{ version: '4', groupKey: name, status, receiver: 'muster', truncatedAlerts: 0 },
        ...{ groupLabels: {}, commonLabels: common, commonAnnotations: notes, externalURL: 'https://am.example.com' },
        alerts: instances.map(instance => ({
          ...{ status, labels: { ...common, instance: words.many(instance, 1, 90) }, annotations: notes, endsAt },
          ...{ startsAt: startsAt.toISOString(), generatorURL: 'https://prom.example.com/graph?g0.expr=up' },
          ...{ fingerprint: `${name}${instance}`, valueString: words.many('Value', 1, 80) },
        })),
      };
      const authorization = `Bearer ${alertToken}`;
      const url = `${stage.muster.url}/hooks/alerts/prometheus`;
      const answer = await fetch(url, { method: 'POST', headers: { authorization }, body: JSON.stringify(body) });
      if (!answer.ok) stage.lost.push(`an alert is refused: ${await answer.text()}`);
    });
  stage.begin('Alerts', incidents);
  const begun = stage.now();
  await send('Errors', 'firing');
  await stage.press(bob, 'Mute 1 h', at);
  await stage.press(bob, 'Unmute', at);
  stage.wait(5);
  await send('Errors', 'firing', ['web-1', 'web-2'], begun);
  await stage.press(bob, 'Declare', at);
  await stage.submit(bob, {});
  const room = stage.room();
  alice.join(room);
  const newest = { limit: 1, orderField: 'createdTime', orderDirection: 'DESC' } as const;
  const { incidentPreviews } = await stage.api.IncidentsService.QueryIncidentPreviews({ query: newest });
  const incidentID = incidentPreviews[0]?.incidentID ?? '';
  await send('Queue', 'firing');
  await stage.press(alice, 'Add to…', at);
  await stage.press(alice, incidentID, at);
  stage.wait(40);
  await send('Errors', 'firing', ['web-1', 'web-2', 'web-3'], begun);
  stage.go(room);
  await stage.type(bob, '/incident alerts');
  stage.wait(5);
  for (const name of ['Errors', 'Queue']) await send(name, 'resolved', ['web-1'], begun);
  await stage.type(bob, '/incident resolve --now it was the pool');
  stage.wait(5);
  await send('Errors', 'firing');
  await stage.press(bob, 'Reopen', { channel: room });
  for (let each = 1; each <= 7; each += 1) await send(`Storm${each}`, 'firing');
  for (let each = 1; each <= 7; each += 1) await send(`Storm${each}`, 'resolved');
};
