import type { Cursor } from '../contract/fields.ts';
import { type Check, checksOf, holds, refused, same, there } from './check.ts';
import type { Fixtures } from './fixtures.ts';
import { toLabel } from './incident-checks.ts';

const documents = 'docs/incident-api.md, Paging rule';
const previews = checksOf('IncidentsService.QueryIncidentPreviews', documents);
const incidents = checksOf('IncidentsService.QueryIncidents', documents);

/** Five incidents that only their label tells from all others. */
const many = 5;
const sets = new WeakMap<Fixtures, Promise<string>>();
const label = (fixtures: Fixtures) => {
  const known = sets.get(fixtures) ?? declareMany(fixtures);
  sets.set(fixtures, known);
  return known;
};

async function declareMany(fixtures: Fixtures): Promise<string> {
  const text = `${fixtures.prefix} listed`;
  for (let number = 1; number <= many; number += 1) {
    await fixtures.declare({ title: `${fixtures.prefix} number ${number}`, labels: [toLabel(text)] });
  }
  await fixtures.eventually(async () => {
    const { incidentPreviews } = await search(fixtures, `label:"${text}"`);
    return incidentPreviews.length >= many ? true : undefined;
  });
  return text;
}

const search = (fixtures: Fixtures, queryString: string, more: object = {}) =>
  fixtures.api.IncidentsService.QueryIncidentPreviews({
    query: { limit: 100, orderDirection: 'ASC', orderField: 'createdTime', queryString, ...more },
  });

/**
 * Reads a list two at a time, at most as often as it can have pages, and holds it to the paging rule: nothing twice, nothing
 * left out, and an end.
 */
export async function readPages(
  expected: number,
  readPage: (cursor: Cursor) => Promise<{ ids: string[]; cursor: Cursor }>,
): Promise<string[]> {
  const all: string[] = [];
  let cursor: Cursor = { nextValue: '', hasMore: false };
  for (let page = 1; page <= Math.ceil(expected / 2); page += 1) {
    const answer = await readPage(cursor);
    all.push(...answer.ids);
    ({ cursor } = answer);
    if (!cursor.hasMore) break;
    holds(cursor.nextValue !== '', 'a nextValue where hasMore is true', cursor);
  }
  same('hasMore at the end', cursor.hasMore, false);
  same('different items on all pages', [new Set(all).size, all.length], [expected, expected]);
  return all;
}

/** Lists of incidents: paging, order, the query language. */
export const listingChecks: readonly Check[] = [
  previews.required('lists a page at a time, each incident once', async fixtures => {
    const queryString = `label:"${await label(fixtures)}"`;
    await readPages(many, async cursor => {
      const answer = await fixtures.api.IncidentsService.QueryIncidentPreviews({
        query: { limit: 2, orderDirection: 'ASC', orderField: 'createdTime', queryString },
        cursor,
      });
      return { ids: answer.incidentPreviews.map(each => each.incidentID), cursor: answer.cursor };
    });
  }),
  previews.required('runs both ways', async fixtures => {
    const queryString = `label:"${await label(fixtures)}"`;
    const rising = (await search(fixtures, queryString)).incidentPreviews.map(each => each.incidentID);
    const falling = await search(fixtures, queryString, { orderDirection: 'DESC' });
    same(
      'the list in reverse',
      falling.incidentPreviews.map(each => each.incidentID),
      rising.toReversed(),
    );
  }),
  previews.required('echoes the query', async fixtures => {
    const queryString = `label:"${await label(fixtures)}"`;
    const { query } = await search(fixtures, queryString, { limit: 3 });
    same('limit and query string', [query.limit, query.queryString], [3, queryString]);
  }),
  previews.required(
    'understands terms, or( … ) and isdrill:',
    async fixtures => {
      const mine = `label:"${await label(fixtures)}"`;
      const find = async (query: string) => (await search(fixtures, `${mine} ${query}`)).incidentPreviews.length;
      same('drills among them', await find('isdrill:true'), many);
      same('others among them', await find('isdrill:false'), 0);
      same('active or resolved ones', await find('or(status:active status:resolved)'), many);
      same('one of the title', await find('title:"number 3"'), 1);
      same('any of them before 2001', await find('declared:2000-01-01T00:00:00Z,2001-01-01T00:00:00Z'), 0);
    },
    'docs/api-rules.md A7, queryString grammar (D, L)',
  ),
  previews.ours('understands not( … ), a leading hyphen, nesting and bare words', 'A7', async fixtures => {
    const mine = `label:"${await label(fixtures)}"`;
    const find = async (query: string) => (await search(fixtures, `${mine} ${query}`)).incidentPreviews.length;
    same('all but one', await find('not(title:"number 3")'), many - 1);
    same('all but two', await find('-title:"number 3" -title:"number 4"'), many - 2);
    same('nested', await find('and(status:active or(title:"number 1" title:"number 2"))'), 2);
    same('bare words', await find('"number 5"'), 1);
  }),
  previews.ours('refuses a query that cannot be read', 'A7', async fixtures => {
    for (const query of ['isdrill:perhaps', 'or(status:active', 'title:"open', 'nonsense:1', 'declared:soon']) {
      await refused(search(fixtures, query), 'invalid_argument');
    }
  }),
  previews.ours('refuses a cursor of another query, and one that is none', 'A7', async fixtures => {
    const mine = `label:"${await label(fixtures)}"`;
    const page = await search(fixtures, mine, { limit: 2 });
    const query = { limit: 2, orderDirection: 'ASC', orderField: 'createdTime', queryString: '' } as const;
    for (const nextValue of [page.cursor.nextValue, 'no-cursor']) {
      const cursor = { nextValue, hasMore: true };
      await refused(fixtures.api.IncidentsService.QueryIncidentPreviews({ query, cursor }), 'invalid_argument');
    }
  }),
  previews.ours('lists a hundred where no limit is named, and at most a thousand', 'A7', async fixtures => {
    const queryString = `label:"${await label(fixtures)}"`;
    same('limit', (await search(fixtures, queryString, { limit: 0 })).query.limit, 100);
    same('limit', (await search(fixtures, queryString, { limit: 5000 })).query.limit, 1000);
  }),
  previews.ours('includes people and custom fields only when asked', 'A6', async fixtures => {
    const query = { limit: 1, orderDirection: '', orderField: '', queryString: `label:"${await label(fixtures)}"` };
    const ask = async (include: boolean) => {
      const includes = { includeCustomFieldValues: include, includeMembershipPreview: include };
      const { body, text } = await fixtures.raw.post('IncidentsService.QueryIncidentPreviews', { query, ...includes });
      return there(Array.isArray(body.incidentPreviews) ? body.incidentPreviews[0] : undefined, 'a preview', text);
    };
    const bare = await ask(false);
    same('members not asked for', [bare.fieldValues, bare.incidentMembershipPreview], [null, null]);
    const whole = await ask(true);
    same('fieldValues', whole.fieldValues, []);
    same('totalAssignments', whole.incidentMembershipPreview?.totalAssignments, 0);
  }),
  incidents.required('lists a page at a time, each incident once', async fixtures => {
    const queryString = `label:"${await label(fixtures)}"`;
    await readPages(many, async cursor => {
      const query = { limit: 2, orderDirection: 'ASC', queryString } as const;
      const answer = await fixtures.api.IncidentsService.QueryIncidents({ query, cursor });
      return { ids: answer.incidents.map(each => each.incidentID), cursor: answer.cursor };
    });
  }),
  incidents.ours('filters by label, status and creation time where there is no query string', 'A7', async fixtures => {
    const incidentLabels = [await label(fixtures)];
    const find = async (more: object) =>
      (await fixtures.api.IncidentsService.QueryIncidents({ query: { incidentLabels, ...more } })).incidents.length;
    same('all', await find({}), many);
    same('drills', await find({ onlyDrills: true }), many);
    same('resolved ones', await find({ includeStatuses: ['resolved'] }), 0);
    same('without active ones', await find({ excludeStatuses: ['active', 'closed'] }), 0);
    same('until 2001', await find({ dateTo: '2001-01-01T00:00:00Z' }), 0);
    same('since 2001', await find({ dateFrom: '2001-01-01T00:00:00+02:00' }), many);
  }),
];
