import { expect, test } from 'vitest';
import { drain, fillBacklog, openDesk } from '../../../bench/desk.ts';
import { openSlowApi } from '../../../bench/slow-api.ts';
import { openHttpTransport } from '../../../src/client/transport.ts';
import { makeDatabase } from '../../support/databases/fresh.ts';

test('a backlog is queued while the API is away, and worked off when it is back', async () => {
  await using api = await openSlowApi(0);
  await using transport = openHttpTransport({ baseUrl: api.url, connections: 8 });
  await using database = await makeDatabase();
  await using desk = await openDesk(database.url, transport);
  await fillBacklog(desk, 1, 3);
  expect(api.calls).toEqual([]);
  desk.state.isAway = false;
  await drain(desk);
  expect(api.calls.filter(each => each === 'ActivityService.AddActivity')).toHaveLength(30);
});
