import type { Cursor } from '../contract/fields.ts';
import { type Check, checksOf, expectRefusal, expectSame, expectThat, expectThere } from './check.ts';
import type { Fixtures } from './fixtures.ts';
import { toLabel } from './incident-checks.ts';

const documents = 'docs/incident-api.md, Paging rule';
const previews = checksOf('IncidentsService.QueryIncidentPreviews', documents);
const incidents = checksOf('IncidentsService.QueryIncidents', documents);

/** Five incidents with a label of their own. */
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
 * Reads a list two at a time, at most as often as it can have pages, and checks the paging rule: nothing twice, nothing left
 * out, and an end.
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
    expectThat(cursor.nextValue !== '', 'a nextValue where hasMore is true', cursor);
  }
  expectSame('hasMore at the end', cursor.hasMore, false);
  expectSame('different items on all pages', [new Set(all).size, all.length], [expected, expected]);
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
    expectSame(
      'the list in reverse',
      falling.incidentPreviews.map(each => each.incidentID),
      rising.toReversed(),
    );
  }),
  previews.required('echoes the query', async fixtures => {
    const queryString = `label:"${await label(fixtures)}"`;
    const { query } = await search(fixtures, queryString, { limit: 3 });
    expectSame('limit and query string', [query.limit, query.queryString], [3, queryString]);
  }),
  previews.required(
    'understands terms, or( … ) and isdrill:',
    async fixtures => {
      const mine = `label:"${await label(fixtures)}"`;
      const find = async (query: string) => (await search(fixtures, `${mine} ${query}`)).incidentPreviews.length;
      expectSame('drills among them', await find('isdrill:true'), many);
      expectSame('others among them', await find('isdrill:false'), 0);
      expectSame('active or resolved ones', await find('or(status:active status:resolved)'), many);
      expectSame('one of the title', await find('title:"number 3"'), 1);
      expectSame('any of them before 2001', await find('declared:2000-01-01T00:00:00Z,2001-01-01T00:00:00Z'), 0);
    },
    'docs/api-rules.md A7, queryString grammar (D, L)',
  ),
  previews.ours('understands not( … ), a leading hyphen, nesting and bare words', 'A7', async fixtures => {
    const mine = `label:"${await label(fixtures)}"`;
    const find = async (query: string) => (await search(fixtures, `${mine} ${query}`)).incidentPreviews.length;
    expectSame('all but one', await find('not(title:"number 3")'), many - 1);
    expectSame('all but two', await find('-title:"number 3" -title:"number 4"'), many - 2);
    expectSame('nested', await find('and(status:active or(title:"number 1" title:"number 2"))'), 2);
    expectSame('bare words', await find('"number 5"'), 1);
  }),
  previews.ours('refuses a query that cannot be read', 'A7', async fixtures => {
    for (const query of ['isdrill:perhaps', 'or(status:active', 'title:"open', 'nonsense:1', 'declared:soon']) {
      await expectRefusal(search(fixtures, query), 'invalid_argument');
    }
  }),
  previews.ours('refuses a cursor of another query, and a malformed cursor', 'A7', async fixtures => {
    const mine = `label:"${await label(fixtures)}"`;
    const page = await search(fixtures, mine, { limit: 2 });
    const query = { limit: 2, orderDirection: 'ASC', orderField: 'createdTime', queryString: '' } as const;
    for (const nextValue of [page.cursor.nextValue, 'no-cursor']) {
      const cursor = { nextValue, hasMore: true };
      await expectRefusal(fixtures.api.IncidentsService.QueryIncidentPreviews({ query, cursor }), 'invalid_argument');
    }
  }),
  previews.ours('lists a hundred where no limit is named, and at most a thousand', 'A7', async fixtures => {
    const queryString = `label:"${await label(fixtures)}"`;
    expectSame('limit', (await search(fixtures, queryString, { limit: 0 })).query.limit, 100);
    expectSame('limit', (await search(fixtures, queryString, { limit: 5000 })).query.limit, 1000);
  }),
  previews.ours('includes people and custom fields only when asked', 'A6', async fixtures => {
    const query = { limit: 1, orderDirection: '', orderField: '', queryString: `label:"${await label(fixtures)}"` };
    const ask = async (include: boolean) => {
      const includes = { includeCustomFieldValues: include, includeMembershipPreview: include };
      const { body, text } = await fixtures.raw.post('IncidentsService.QueryIncidentPreviews', { query, ...includes });
      return expectThere(
        Array.isArray(body.incidentPreviews) ? body.incidentPreviews[0] : undefined,
        'a preview',
        text,
      );
    };
    const bare = await ask(false);
    expectSame('members not asked for', [bare.fieldValues, bare.incidentMembershipPreview], [null, null]);
    const whole = await ask(true);
    expectSame('fieldValues', whole.fieldValues, []);
    expectSame('totalAssignments', whole.incidentMembershipPreview?.totalAssignments, 0);
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
    expectSame('all', await find({}), many);
    expectSame('drills', await find({ onlyDrills: true }), many);
    expectSame('resolved ones', await find({ includeStatuses: ['resolved'] }), 0);
    expectSame('without active ones', await find({ excludeStatuses: ['active', 'closed'] }), 0);
    expectSame('until 2001', await find({ dateTo: '2001-01-01T00:00:00Z' }), 0);
    expectSame('since 2001', await find({ dateFrom: '2001-01-01T00:00:00+02:00' }), many);
  }),
];
