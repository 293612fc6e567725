import { expect, test } from 'vitest';
import { IncidentsService } from '../../../../src/contract/incidents-service.ts';
import { listIncidentPreviews } from '../../../../src/service/incidents/list.ts';
import { openWorld, type World } from '../../../support/query/world.ts';

/** Ids of all incidents that a query finds, two on a page. */
async function find({ context }: World, queryString: string): Promise<string[]> {
  const ids: string[] = [];
  let cursor = { nextValue: '', hasMore: true };
  while (cursor.hasMore) {
    const input = { query: { queryString, limit: 2 }, cursor };
    const page = await listIncidentPreviews(context, IncidentsService.QueryIncidentPreviews.input.parse(input));
    ids.push(...page.incidentPreviews.map(each => each.incidentID));
    cursor = page.cursor;
  }
  return ids;
}

test('a label finds the same incidents in the same order, whether few have it or many', async () => {
  await using world = await openWorld();
  const label = (key: string, text: string) => ({ key, label: text });
  await world.add(
    { labels: [label('tags', 'Shop')] },
    { labels: [label('tags', 'till')] },
    { labels: [label('team', 'shop'), label('tags', 'shop')] },
    { labels: [label('tags', 'shop'), label('tags', 'till')] },
    { labels: [label('team', 'shop')] },
  );
  const queries: [query: string, ids: string[]][] = [
    ['label:shop', ['5', '4', '3', '1']],
    ['label:SHOP label:till', ['4']],
    ['field:team:shop', ['5', '3']],
    ['-label:shop', ['2']],
    ['or(label:shop label:till)', ['5', '4', '3', '2', '1']],
    ['label:nothing', []],
  ];
  for (const [query, ids] of queries) expect([query, await find(world, query)]).toEqual([query, ids]);
  const crowd = Array.from({ length: 1001 }, (_, index) => ({
    incident_id: 1000 + index,
    key: 'tags',
    key_folded: 'tags',
    label: 'shop',
    label_folded: 'shop',
    position: 1000 + index,
  }));
  await world.context.db.insertInto('incident_label').values(crowd).execute();
  for (const [query, ids] of queries) expect([query, await find(world, query)]).toEqual([query, ids]);
});
