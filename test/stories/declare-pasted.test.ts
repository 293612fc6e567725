import { expect, test } from 'vitest';
import { openGeneral } from '../support/general.ts';
import { openIncident } from '../support/incident-room.ts';
import { openOutage } from '../support/outage-room.ts';

const firing = '[FIRING:1] CheckoutErrors value 31 https://grafana.acme.com/alerting/1/view';

test('a pasted alert: its first line is the title, its address the link, the rest a note', async () => {
  const { place, type } = await openGeneral();
  const { api } = place;
  await type(`/incident declare ${firing}\nLabels:\n - team = checkout --now`);
  await place.quiet();
  const { incident } = await api.IncidentsService.GetIncident({ incidentID: '1' });
  expect(incident.title).toBe('CheckoutErrors value 31');
  expect(place.slack.channels.map(each => each.name)).toContain('inc-1-checkouterrors-value-31');
  const { activityItems } = await api.ActivityService.QueryActivity({ query: { incidentID: '1' } });
  const of = (kind: string) => activityItems.filter(each => each.activityKind === kind);
  expect(of('contextAttached').map(each => each.url)).toEqual(['https://grafana.acme.com/alerting/1/view']);
  expect(of('userNote').map(each => each.body)).toEqual(['Labels:\n - team = checkout\n\n— alice in Slack']);
});

test('Declare from message takes title and link of an alert; the message becomes the first note', async () => {
  const { place, alice, general, slack } = await openGeneral();
  const bob = slack.addPerson({ name: 'bob' });
  bob.join(general.id);
  await alice.shortcut('declare_message', bob.say(general, `${firing}\nMore words`));
  await place.quiet();
  expect(alice.view?.values).toMatchObject({
    title: { title: { value: 'CheckoutErrors value 31' } },
    link: { link: { value: 'https://grafana.acme.com/alerting/1/view' } },
  });
});

test('a severity in a title is the severity, by rank and by name; Amazon’s S3 is none', async () => {
  const { place, type } = await openGeneral();
  const { api } = place;
  for (const line of [
    'sev2: emails not going out',
    'P1 checkout is down',
    'critical: all is down',
    's3: access denied',
  ])
    await type(`/incident declare ${line} --now`);
  await place.quiet();
  const { incidentPreviews } = await api.IncidentsService.QueryIncidentPreviews({ query: { orderDirection: 'ASC' } });
  expect(incidentPreviews.map(each => `${each.severityLabel} ${each.title}`)).toEqual([
    'major emails not going out',
    'critical checkout is down',
    'critical all is down',
    'pending s3: access denied',
  ]);
});

test('the form shows each severity with sign, word and meaning; labels are split as people write them', async () => {
  const { place, alice, type } = await openGeneral();
  const { api } = place;
  await type('/incident declare Disk is full --label "db; prio:high #urgent"');
  const shown = JSON.stringify(alice.view);
  for (const words of ['⚪ Not known yet', '🟡 Minor – ', '🟠 Major – ', '🔴 Critical – '])
    expect(shown).toContain(words);
  await alice.submit();
  await place.quiet();
  const { incident } = await api.IncidentsService.GetIncident({ incidentID: '1' });
  expect(incident.labels.map(each => each.label)).toEqual(['db', 'prio:high', 'urgent']);
});

test('a severity that nobody said is asked for once the incident is over', async () => {
  const { type, next, nextMessage, press, alice, submit, incident } = await openIncident();
  await type('/incident resolve It was the pool --now');
  expect(next().at(-1)).toContain('set the severity');
  await press(nextMessage(), 'Severity');
  expect(alice.view?.title).toBe('Severity');
  await submit({ severity: 'major' });
  expect((await incident()).severity).toBe('major');
  expect(next().at(-1)).not.toContain('set the severity');
});

test('while the API is away, a severity with its reason is set and noted once', async () => {
  const { type, room, goAway, comeBack, incident, timeline } = await openOutage();
  await type('/incident declare Checkout answers 500 --now');
  goAway();
  await type('/incident severity critical: nobody can pay', undefined, room().name);
  await comeBack();
  expect((await incident()).severity).toBe('critical');
  const notes = (await timeline()).filter(item => item.activityKind === 'userNote');
  expect(notes.map(note => note.body)).toEqual(['nobody can pay\n\n— alice in Slack']);
});
