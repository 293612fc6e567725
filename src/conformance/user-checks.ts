import { type Check, checksOf, expectRefusal, expectSame, expectThat, expectThere } from './check.ts';

const documents = 'docs/incident-api.md, UsersService';
const query = checksOf('UsersService.QueryUsers', documents, { optional: true });
const get = checksOf('UsersService.GetUser', documents, { optional: true });

/** The people of the API. Some servers lack this service. */
export const userChecks: readonly Check[] = [
  query.required('lists people a page at a time, each once', async fixtures => {
    const seen = new Set<string>();
    let cursor = { nextValue: '', hasMore: false };
    for (let page = 1; page <= 20; page += 1) {
      const answer = await fixtures.api.UsersService.QueryUsers({ query: { limit: 2 }, cursor });
      for (const { userID } of answer.users) {
        expectThat(!seen.has(userID), 'everybody once', userID);
        seen.add(userID);
      }
      expectSame('limit', answer.query.limit, 2);
      ({ cursor } = answer);
      if (!cursor.hasMore) return;
    }
  }),
  get.required('answers one person as the list has them', async fixtures => {
    const { users } = await fixtures.api.UsersService.QueryUsers({ query: { limit: 1 } });
    const first = expectThere(users[0], 'somebody', users);
    const { user } = await fixtures.api.UsersService.GetUser({ userID: first.userID });
    expectSame('the person', [user.userID, user.name], [first.userID, first.name]);
  }),
  get.ours('answers 404 for somebody that does not exist', 'A1', fixtures =>
    expectRefusal(fixtures.api.UsersService.GetUser({ userID: 'grafana-incident:nobody' }), 'not_found'),
  ),
];
