import { expect, test } from 'vitest';
import { DashboardMeta, type DashboardModel, Dashboards } from '../../../src/contract/dashboards.ts';

test.each<[string, unknown, Partial<DashboardModel>]>([
  ['tags that are a word', { tags: '' }, { tags: [] }],
  ['tags that are words', { tags: 'a,b' }, { tags: [] }],
  ['tags within tags', { tags: [['a'], 'b'] }, { tags: ['b'] }],
  ['tags that are numbers', { tags: [1, 'b', null, {}] }, { tags: ['b'] }],
  ['tags that are an object', { tags: { a: true } }, { tags: [] }],
  ['more tags than a request may have', { tags: Array(1001).fill('x') }, { tags: Array(1001).fill('x') }],
  ['a refresh that is a number', { refresh: 30 }, { refresh: '' }],
  ['a refresh that is a list', { refresh: ['5s'] }, { refresh: '' }],
  ['a refresh that is off', { refresh: false }, { refresh: false }],
  ['a schemaVersion that is a word', { schemaVersion: '36' }, { schemaVersion: 0 }],
  ['a version that is a word', { version: '7' }, { version: 0 }],
  ['a version that is an object', { version: {} }, { version: 0 }],
  ['a timezone that is a number', { timezone: 1 }, { timezone: '' }],
  ['a title that is a number', { title: 2024 }, { title: '' }],
  ['an id that is a word', { id: '7' }, { id: null }],
  ['a uid that is a number', { uid: 7 }, { uid: null }],
  ['nulls', { tags: null, refresh: null, title: null, id: null }, { tags: [], refresh: '', title: '', id: null }],
  ['true for everything', { tags: true, title: true, schemaVersion: true }, { tags: [], title: '', schemaVersion: 0 }],
])('%s: the model is read, and the member is empty', (_, model, read) => {
  const answer = Dashboards.get.output.parse({ dashboard: { keep: ['me'], ...Object(model) }, meta: {} });
  expect(answer.dashboard).toMatchObject({ ...read, keep: ['me'] });
});

test.each(['', 7, true, [], {}])('%j for each member of meta reads as if it were not there', wrong => {
  const empty = DashboardMeta.parse({});
  const meta = DashboardMeta.parse(Object.fromEntries(Object.keys(empty).map(name => [name, wrong])));
  const ofItsType = Object.entries(empty).filter(([, zero]) => typeof zero === typeof wrong);
  expect(meta).toEqual({ ...empty, ...Object.fromEntries(ofItsType.map(([name]) => [name, wrong])) });
});

test.each(['a page', 7, null, []])('what is no object at all (%j) is no model', dashboard => {
  expect(Dashboards.get.output.safeParse({ dashboard, meta: {} }).success).toBe(false);
});
