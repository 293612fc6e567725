import { expect, test } from 'vitest';
import { openDesk } from '../../../support/dashboards.ts';

test.each(['two words', ' padded ', 'x'.repeat(51), 'team:db, and more', 'größer', 'a/b?c=d', '🔥', 'x'.repeat(500)])(
  'the tag "%s" of a dashboard is kept as it is written',
  async tag => {
    await using desk = await openDesk();
    expect((await desk.save({ title: 'Tagged', uid: 'tagged', tags: [tag] })).status).toBe(200);
    expect((await desk.get('tagged')).body.dashboard.tags).toEqual([tag]);
    expect((await desk.call('GET', '/api/dashboards/tags')).body).toEqual([{ term: tag, count: 1 }]);
  },
);
