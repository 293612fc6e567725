import { type Check, checksOf, expectRefusal, expectSame, expectThat, expectThere } from './check.ts';
import type { Fixtures } from './fixtures.ts';
import { noIncident } from './incident-checks.ts';
import { readPages } from './listing-checks.ts';

const documents = 'docs/incident-api.md, ActivityService';
const add = checksOf('ActivityService.AddActivity', documents);
const query = checksOf('ActivityService.QueryActivity', documents);
const remove = checksOf('ActivityService.RemoveActivity', documents);
const body = checksOf('ActivityService.UpdateActivityBody', documents);
const eventTime = checksOf('ActivityService.UpdateActivityEventTime', documents);

const past = '2026-01-31T14:05:06Z';

async function note(fixtures: Fixtures, incidentID: string, text: string, at = '') {
  const input = { incidentID, activityKind: 'userNote', body: text, eventTime: at } as const;
  const { activityItem } = await fixtures.api.ActivityService.AddActivity(input);
  const { activityItemID } = activityItem;
  fixtures.onCleanUp(() => fixtures.api.ActivityService.RemoveActivity({ incidentID, activityItemID }));
  return activityItem;
}

/** Notes and timelines. */
export const activityChecks: readonly Check[] = [
  add.required('posts a note at the time it speaks of', async fixtures => {
    const { incidentID } = await fixtures.incident('noted');
    const item = await note(fixtures, incidentID, 'a note', past);
    expectSame(
      'kind, body and incident',
      [item.activityKind, item.body, item.incidentID],
      ['userNote', 'a note', incidentID],
    );
    expectSame('eventTime', Date.parse(item.eventTime), Date.parse(past));
    expectThat(item.activityItemID !== '', 'an activityItemID', item);
  }),
  add.required('takes the present where no time is named', async fixtures => {
    const { incidentID } = await fixtures.incident('noted');
    const item = await note(fixtures, incidentID, 'now');
    expectSame('eventTime', item.eventTime, item.createdTime);
  }),
  add.required('attaches the links of a note', async fixtures => {
    const { incidentID } = await fixtures.incident('linked');
    const url = 'https://example.com/d/abc?orgId=1';
    await note(fixtures, incidentID, `see ${url}, please`);
    const found = await fixtures.eventually(async () =>
      (await fixtures.timeline(incidentID, 'contextAttached')).find(each => each.url === url),
    );
    expectThere(found, `a contextAttached item with ${url}`, 'a timeline without it');
  }),
  add.required('takes no kind but userNote', async fixtures => {
    const { incidentID } = await fixtures.incident('noted');
    const reply = await fixtures.raw.post('ActivityService.AddActivity', {
      incidentID,
      activityKind: 'incidentCreated',
      body: 'forged',
    });
    expectThat(reply.status !== 200 || reply.body.error !== '', 'a refusal', reply.text);
  }),
  add.ours('refuses a blank note, one over 65536 characters, and a malformed time', 'A5', async fixtures => {
    const { incidentID } = await fixtures.incident('noted');
    const post = (input: object) => fixtures.raw.post('ActivityService.AddActivity', { incidentID, ...input });
    for (const input of [{ body: ' ' }, { body: 'x'.repeat(65_537) }, { body: 'x', eventTime: 'yesterday' }]) {
      expectSame('status', (await post(input)).status, 400);
    }
  }),
  add.ours('answers 404 for an incident that does not exist', 'A5', fixtures =>
    expectRefusal(note(fixtures, noIncident, 'lost'), 'not_found'),
  ),
  query.required('lists a page at a time by event time, each item once', async fixtures => {
    const { incidentID } = await fixtures.incident('paged');
    const minutes = [3, 1, 4, 0, 2];
    for (const minute of minutes) await note(fixtures, incidentID, `minute ${minute}`, `2026-01-31T14:0${minute}:00Z`);
    for (const orderDirection of ['ASC', 'DESC'] as const) {
      const bodies = await readPages(minutes.length, async cursor => {
        const wanted = { incidentID, limit: 2, orderDirection, activityKind: ['userNote' as const] };
        const answer = await fixtures.api.ActivityService.QueryActivity({ query: wanted, cursor });
        return { ids: answer.activityItems.map(each => each.body), cursor: answer.cursor };
      });
      const rising = [0, 1, 2, 3, 4].map(each => `minute ${each}`);
      expectSame(`the order ${orderDirection}`, bodies, orderDirection === 'ASC' ? rising : rising.toReversed());
    }
  }),
  query.required('lists only the kinds that are asked for, and echoes the query', async fixtures => {
    const { incidentID } = await fixtures.incident('noted');
    await note(fixtures, incidentID, 'of a kind');
    const wanted = { incidentID, activityKind: ['userNote' as const], limit: 50 };
    const answer = await fixtures.api.ActivityService.QueryActivity({ query: wanted });
    expectSame('kinds', [...new Set(answer.activityItems.map(each => each.activityKind))], ['userNote']);
    expectSame('incidentID, limit', [answer.query.incidentID, answer.query.limit], [incidentID, 50]);
  }),
  query.ours('lists what is important by tag', 'A4, A5', async fixtures => {
    const { incidentID } = await fixtures.incident('plain');
    const { activityItems } = await fixtures.api.ActivityService.QueryActivity({
      query: { incidentID, tag: 'important' },
    });
    expectSame(
      'kinds',
      activityItems.map(each => each.activityKind),
      ['incidentCreated'],
    );
  }),
  query.ours('answers 404 for an incident that does not exist', 'A5', fixtures =>
    expectRefusal(fixtures.api.ActivityService.QueryActivity({ query: { incidentID: noIncident } }), 'not_found'),
  ),
  remove.required('removes an item, which is listed no more', async fixtures => {
    const { incidentID } = await fixtures.incident('noted');
    const { activityItemID } = await note(fixtures, incidentID, 'short-lived');
    const { activityItem } = await fixtures.api.ActivityService.RemoveActivity({ incidentID, activityItemID });
    expectSame('activityItemID', activityItem.activityItemID, activityItemID);
    const left = await fixtures.timeline(incidentID);
    expectSame('of that id', left.filter(each => each.activityItemID === activityItemID).length, 0);
  }),
  remove.ours('answers 404 the second time, and keeps what the system wrote', 'A5', async fixtures => {
    const { incidentID } = await fixtures.incident('noted');
    const { activityItemID } = await note(fixtures, incidentID, 'removed twice');
    await fixtures.api.ActivityService.RemoveActivity({ incidentID, activityItemID });
    await expectRefusal(fixtures.api.ActivityService.RemoveActivity({ incidentID, activityItemID }), 'not_found');
    const created = expectThere((await fixtures.timeline(incidentID, 'incidentCreated'))[0], 'incidentCreated', 'none');
    const call = fixtures.api.ActivityService.RemoveActivity({ incidentID, activityItemID: created.activityItemID });
    await expectRefusal(call, 'invalid_argument', /immutable/);
  }),
  body.required('replaces the text of an item', async fixtures => {
    const { incidentID } = await fixtures.incident('noted');
    const { activityItemID } = await note(fixtures, incidentID, 'misspelt');
    const input = { incidentID, activityItemID, body: 'spelt well' };
    const { activityItem } = await fixtures.api.ActivityService.UpdateActivityBody(input);
    expectSame('id and body', [activityItem.activityItemID, activityItem.body], [activityItemID, 'spelt well']);
  }),
  body.ours('answers 404 for an item that does not exist', 'A5', async fixtures => {
    const { incidentID } = await fixtures.incident('noted');
    const input = { incidentID, activityItemID: 'activity-item-none', body: 'x' };
    await expectRefusal(fixtures.api.ActivityService.UpdateActivityBody(input), 'not_found');
  }),
  eventTime.required('moves an item in time, and back where it was created', async fixtures => {
    const { incidentID } = await fixtures.incident('noted');
    const { activityItemID, createdTime } = await note(fixtures, incidentID, 'moved');
    const move = async (time: string) => {
      const input = { incidentID, activityItemID, eventTime: time };
      return (await fixtures.api.ActivityService.UpdateActivityEventTime(input)).activityItem;
    };
    const moved = await move(past);
    expectSame('eventTime', Date.parse(moved.eventTime), Date.parse(past));
    expectSame('createdTime', moved.createdTime, createdTime);
    expectSame('eventTime after an empty one', (await move('')).eventTime, createdTime);
  }),
];
