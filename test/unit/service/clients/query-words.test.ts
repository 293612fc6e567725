import { describe, expect, test } from 'vitest';
import { parseQuery } from '../../../../src/service/query/parse.ts';
import { printQuery } from '../../../support/query/print.ts';
import { call, openService, request } from '../../../support/service.ts';

const read = (text: string) => printQuery(parseQuery(text));

describe('AND, OR and NOT between terms', () => {
  test.each([
    ['status:active AND severity:major', 'status:"active" severity:"major"'],
    ['status:active OR severity:major', 'or(status:"active" severity:"major")'],
    ['NOT label:eu', 'not(label:"eu")'],
    ['status:active AND NOT label:eu', 'status:"active" not(label:"eu")'],
    ['a OR b OR c', 'or(title:"a" title:"b" title:"c")'],
    ['a b OR c', 'or(and(title:"a" title:"b") title:"c")'],
    ['a AND b OR c AND d', 'or(and(title:"a" title:"b") and(title:"c" title:"d"))'],
    ['isdrill:false and(a OR b)', 'isdrill:false and(or(title:"a" title:"b"))'],
    ['or(a AND b c)', 'or(and(title:"a" title:"b") title:"c")'],
    ['or(a b OR c)', 'or(title:"a" title:"b" title:"c")'],
    ['any(a AND b AND NOT c d)', 'or(and(title:"a" title:"b" not(title:"c")) title:"d")'],
    ['not(a OR b)', 'not(or(title:"a" title:"b"))'],
    ['"two words" OR -x', 'or(title:"two words" not(title:"x"))'],
    ['NOT NOT a', 'not(not(title:"a"))'],
    ['a && b', 'title:"a" title:"b"'],
    ['a || b', 'or(title:"a" title:"b")'],
    ['NOT (a b)', 'not(and(title:"a" title:"b"))'],
    ['"AND" "or"', 'title:"AND" title:"or"'],
    ['search and rescue', 'title:"search" title:"and" title:"rescue"'],
    ['do not page', 'title:"do" title:"not" title:"page"'],
    ['or', 'title:"or"'],
  ])('%s', (text, understood) => {
    expect(read(text)).toBe(understood);
  });

  test.each([
    ['AND a', /AND has nothing before it.*at character 1/],
    ['a AND', /AND has nothing after it.*at character 3/],
    ['OR', /OR has nothing before it/],
    ['a OR OR b', /OR has nothing after it/],
    ['a AND OR b', /AND has nothing after it/],
    ['NOT AND a', /NOT has nothing after it/],
    ['or(a OR)', /OR has nothing after it/],
    ['NOT', /NOT has nothing after it/],
    ['a OR NOT', /NOT has nothing after it/],
    ['status:active OR (severity:major label:x)', /a parenthesis may only follow/],
    ['status:active and severity:major', /"and" between terms.*AND.*quotes/],
    ['status:active or label:eu', /"or" between terms.*OR.*quotes/],
    ['not label:eu', /"not" between terms.*NOT.*quotes/],
    ['checkout Or label:eu', /"Or" between terms/],
    ['!label:eu', /"!label:eu".*NOT/],
    ['|| a', /\|\| has nothing before it/],
  ])('%s is refused', (text, sentence) => {
    expect(() => parseQuery(text)).toThrow(sentence);
  });
});

test('they find what they say', async () => {
  await using opened = await openService();
  const labels = [{ label: 'eu west' }];
  await call(opened, 'IncidentsService.CreateIncident', { title: 'Checkout', severity: 'major', labels });
  await call(opened, 'IncidentsService.CreateIncident', { title: 'Search', severity: 'minor' });
  await call(opened, 'IncidentsService.CreateIncident', { title: 'Login', status: 'resolved' });
  const find = async (queryString: string) => {
    const query = { queryString, orderDirection: 'ASC' };
    const { incidentPreviews } = await call(opened, 'IncidentsService.QueryIncidentPreviews', { query });
    return incidentPreviews.map(each => each.title).join(' ');
  };
  expect(await find('status:active AND severity:major')).toBe('Checkout');
  expect(await find('severity:major OR status:resolved')).toBe('Checkout Login');
  expect(await find('status:active AND NOT severity:major')).toBe('Search');
  expect(await find('label:"eu west"')).toBe('Checkout');
  expect(await find(`label:'eu west' OR title:log`)).toBe('Checkout Login');
  const { status, body } = await request(opened, 'IncidentsService.QueryIncidents', {
    query: { queryString: 'status:active and severity:major' },
  });
  expect([status, body.error]).toEqual([400, expect.stringContaining('invalid query')]);
});
