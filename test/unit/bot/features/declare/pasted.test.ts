import { expect, test } from 'vitest';
import { openBareGeneral } from '../../../../support/general.ts';
import { openVerbs } from '../../../../support/verbs.ts';

test('a severity with words behind it: the words are a note and stand in the line; a second severity is asked about', async () => {
  const { type, incident, bodies, publicLines } = await openVerbs();
  await type('/incident severity critical because nobody can pay');
  expect((await incident()).severity).toBe('critical');
  expect(await bodies()).toEqual(['because nobody can pay\n\n— alice in Slack']);
  expect(await publicLines()).toEqual(['🔴 Severity raised: pending → critical – @alice\n> because nobody can pay']);
  await type('/incident severity SEV2.');
  expect((await incident()).severity).toBe('major');
  expect(await type('/incident severity minor or critical')).toContain('Nothing was changed');
  expect((await incident()).severity).toBe('major');
});

const firing = '[FIRING:1] CheckoutErrors value 31 https://grafana.acme.com/alerting/1/view';

test('a pasted alert: its first line is the title, its address the link, the rest a note', async () => {
  const { place, type } = await openBareGeneral();
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
  const { alice, general, slack, act } = await openBareGeneral();
  const bob = slack.addPerson({ name: 'bob' });
  bob.join(general.id);
  await act(() => alice.shortcut('declare_message', bob.say(general, `${firing}\nMore words`)));
  expect(alice.view?.values).toMatchObject({
    title: { title: { value: 'CheckoutErrors value 31' } },
    link: { link: { value: 'https://grafana.acme.com/alerting/1/view' } },
  });
});

test('a severity in a title is the severity, by rank and by name; Amazon’s S3 is none', async () => {
  const { place, type } = await openBareGeneral();
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
  const { place, alice, type, act } = await openBareGeneral();
  const { api } = place;
  await type('/incident declare Disk is full --label "db; prio:high #urgent"');
  const shown = JSON.stringify(alice.view);
  for (const words of ['⚪ Not known yet', '🟡 Minor – ', '🟠 Major – ', '🔴 Critical – '])
    expect(shown).toContain(words);
  await act(() => alice.submit());
  const { incident } = await api.IncidentsService.GetIncident({ incidentID: '1' });
  expect(incident.labels.map(each => each.label)).toEqual(['db', 'prio:high', 'urgent']);
});
