import { expect, test } from 'vitest';
import { renderView } from '../../playground/fake-slack/fake-slack.ts';
import { openGeneral } from '../support/general.ts';
import { openSeats } from '../support/seats.ts';

const asked = ['title', 'severity', 'summary', 'private'];
const more = ['details', 'where', 'options', 'labels', 'started', 'ended', 'link', 'caption'];

async function openForm(line = '/incident declare Disk is full', options: Parameters<typeof openGeneral>[0] = {}) {
  const team = await openGeneral(options);
  const { place, alice, general } = team;
  await alice.command(general, line);
  await place.quiet();
  return {
    ...team,
    fields: () => (alice.view?.blocks ?? []).filter(each => each.type === 'input').map(each => each.block_id),
    form: () => (alice.view ? renderView(place.slack, alice.view) : ''),
    openMore: async () => {
      await alice.press('view', 'More options');
      await place.quiet();
    },
  };
}

test('the form asks four things; More options shows the rest and keeps what was typed', async () => {
  const { place, alice, fields, form, openMore, act } = await openForm();
  expect(fields()).toEqual(asked);
  await alice.fill({ title: 'Disk is fuller', severity: 'major', summary: 'Uploads fail', private: ['private'] });
  await openMore();
  expect(fields()).toEqual([...asked, ...more]);
  expect(form()).not.toContain('More options');
  for (const words of ['Disk is fuller', 'Major', 'Uploads fail', '(x) Private']) expect(form()).toContain(words);
  expect((await alice.submit({ labels: 'db', started: 4_000_000_000 })).body).toMatchObject({
    response_action: 'errors',
  });
  expect(fields(), 'a form with an error stays open').toEqual([...asked, ...more]);
  await act(() => alice.submit({ started: '' }));
  const { incident } = await place.api.IncidentsService.GetIncident({ incidentID: '1' });
  expect(incident).toMatchObject({ title: 'Disk is fuller', severity: 'major' });
  expect(incident.labels.map(each => each.label)).toEqual(['db']);
  expect(place.slack.channel('inc-1-disk-is-fuller').isPrivate).toBe(true);
});

test.each([
  ['--drill', '(x) This is a drill'],
  ['--label db', 'Labels (optional): [db]'],
  ['--link https://a.example/1', '[https://a.example/1]'],
  ['--started 20m ago', 'Started at'],
  ['--resolved', 'Without a channel of its own'],
  ['--caption graph', '[graph]'],
])('with %s the rest is open from the start, so that nothing typed is out of sight', async (flags, shown) => {
  const { form, fields } = await openForm(`/incident declare Disk is full ${flags}`);
  expect(fields()).toEqual([...asked, ...more]);
  expect(form()).toContain(shown);
});

test('who will read it stands at the top', async () => {
  const { after, alice, general, place, slack } = await openSeats();
  await after(() => alice.command(general, '/incident declare Disk is full'));
  const lines = (alice.view ? renderView(slack, alice.view) : '').split('\n');
  expect(lines[1]).toContain('#alerts');
  await after(() => alice.press('view', 'More options'));
  expect(place.reads(alice, general.id), 'nobody is told of a press').toEqual([]);
});

test('a form that Slack does not update is opened again with what was typed', async () => {
  const { place, alice, slack, form, openMore } = await openForm();
  await alice.fill({ summary: 'Uploads fail' });
  slack.fail('views.update', { error: 'hash_conflict' });
  await openMore();
  expect(form()).toContain('Uploads fail');
  expect(form()).toContain('Labels');
  expect(place.troubles).toEqual([]);
});
