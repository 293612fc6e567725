import { describe, expect, test } from 'vitest';
import { Accounts, ApiUsers } from '../../../../src/bot/people/accounts.ts';
import {
  createPeople,
  createPersonStore,
  NotIdentified,
  namesOf,
  type PersonStore,
  toPerson,
  toUnknown,
} from '../../../../src/bot/people/directory.ts';
import { oneWorkspace } from '../../../../src/bot/slack/workspaces.ts';
import type { Api } from '../../../../src/contract/contract.ts';
import { RpcError } from '../../../../src/contract/errors.ts';
import type { Deadlines } from '../../../../src/deadlines.ts';
import { openLog } from '../../../../src/operations/log.ts';
import { patient } from '../../../support/deadlines.ts';
import { openBotDatabase } from '../../../support/fresh-database.ts';
import { anna } from '../../../support/person.ts';

const home = { identity: { teamId: 'T1' }, workspaces: oneWorkspace() };

type QueryUsers = Api['UsersService']['QueryUsers'];
type ApiUser = Awaited<ReturnType<QueryUsers>>['users'][number];

const minute = 60_000;

function user(given: Partial<ApiUser>): ApiUser {
  const none = { internalUserID: '', modifiedTime: '', photoURL: '', grafanaUserID: '', grafanaLogin: '' };
  return { ...none, userID: '', email: '', name: '', slackUserID: '', slackTeamID: '', msTeamsUserID: '', ...given };
}

const refusal = (word: string) => Object.assign(new Error(word), { data: { error: word } });

/** What Slack and the API know, and how often they were asked. */
async function openDirectory(users: readonly ApiUser[] = [], kept?: PersonStore) {
  const world = {
    now: new Date('2026-03-02T14:00:00Z'),
    /** What `users.info` answers, by id; an error is thrown, a promise is waited for. */
    slack: new Map<string, object | Error | Promise<object>>(),
    /** What it answers the patient client with, when that is something else. */
    patiently: new Map<string, object | Error | Promise<object>>(),
    /** The API's pages. */
    pages: [users] as (readonly ApiUser[])[],
    apiFails: false,
    apiRefuses: false,
    /** What the API waits for before it answers. */
    apiWaits: undefined as Promise<void> | undefined,
    asked: { slack: 0, patiently: 0, api: 0 },
    inputs: [] as object[],
    noted: [] as Record<string, unknown>[],
    /** How long somebody who acts waits for either, in milliseconds. A busy machine takes its time, and only a test of waiting in vain ends it. */
    patience: 60_000,
    /** Cursors that the API answers with in place of the next page's number. */
    nextValues: undefined as readonly string[] | undefined,
  };
  const info = async ({ user: id }: { user: string }, client: 'slack' | 'patiently' = 'slack') => {
    world.asked[client] += 1;
    const known = await (world[client].get(id) ?? world.slack.get(id));
    if (known instanceof Error) throw known;
    return { ok: true, ...(known ? { user: known } : {}) };
  };
  const QueryUsers: QueryUsers = async input => {
    world.asked.api += 1;
    world.inputs.push(input);
    if (world.apiFails) throw new Error('The API is away');
    if (world.apiRefuses) throw new RpcError('not_found', 'no such service');
    await world.apiWaits;
    const page = Number(input.cursor?.nextValue || '0');
    const nextValue = world.nextValues?.[page] ?? String(page + 1);
    const hasMore = world.nextValues ? true : page + 1 < world.pages.length;
    const users = [...(world.pages[page] ?? [])];
    return { users, query: { limit: input.query?.limit ?? 0 }, cursor: { nextValue, hasMore }, error: '' };
  };
  const database = await openBotDatabase(world.now);
  const log = openLog('warn', { write: line => void world.noted.push(JSON.parse(line)) });
  const store = kept ?? createPersonStore(database, 'T1', log);
  const close = () => database[Symbol.asyncDispose]();
  const deadlines: Deadlines = {
    ...patient(),
    get users() {
      return world.patience;
    },
    get profile() {
      return world.patience;
    },
  };
  /** A process that begins with what the database has. */
  const start = () =>
    createPeople({
      slack: {
        quick: { users: { info: input => info(input) } },
        web: { users: { info: input => info(input, 'patiently') } },
        ...home,
      },
      store,
      accounts: new Accounts({
        users: new ApiUsers({ api: { UsersService: { QueryUsers } }, deadlines, clock: () => world.now, log }),
        ...{ database, log },
        clock: () => world.now,
        slack: home,
      }),
      deadlines,
      clock: () => world.now,
      log,
    });
  const people = start();
  const wait = (ms: number) => {
    world.now = new Date(world.now.getTime() + ms);
  };
  return { people, start, store, close, world, wait };
}

/** Keeps nothing, where thousands of people would take long to store. */
const forgetful: PersonStore = {
  find: async () => undefined,
  findAll: async () => new Map(),
  keep: async () => {},
  guestIds: async () => new Set(),
  keepAll: async () => {},
  purge: async () => 0,
};

describe('what Slack knows of somebody', () => {
  test('is told whole', async () => {
    const { people, world } = await openDirectory();
    world.slack.set('U1', {
      id: 'U1',
      team_id: 'T1',
      name: 'anna.s',
      tz: 'Europe/Berlin',
      profile: { display_name: 'anna', real_name: 'Anna S', email: 'anna@example.com', image_72: 'https://x/a.png' },
    });
    expect(await people.find('U1')).toEqual({
      ...anna,
      photoURL: 'https://x/a.png',
      timeZone: 'Europe/Berlin',
    });
  });

  test('may be next to nothing', async () => {
    const { people, world } = await openDirectory();
    world.slack.set('U1', {});
    world.slack.set('U2', { id: 'U2', profile: { display_name: '', real_name: 'Bob Roe' }, name: 'bob' });
    world.slack.set('U3', { id: 'U3', profile: { display_name: '', real_name: '' }, name: 'cy' });
    world.slack.set('U4', { id: 'U4', tz: '', name: '' });
    expect(await people.find('U1')).toEqual({ ...anna, userId: '', name: '', email: '', timeZone: '' });
    expect((await people.find('U2'))?.name).toBe('Bob Roe');
    expect((await people.find('U3'))?.name).toBe('cy');
    expect(await people.find('U4')).toMatchObject({ name: '', timeZone: '', teamId: 'T1' });
  });

  test.each([
    [{ is_restricted: true }, { isGuest: true }],
    [{ is_ultra_restricted: true }, { isGuest: true }],
    [{ is_restricted: false, is_ultra_restricted: false }, { isGuest: false }],
    [{ is_bot: true }, { isBot: true }],
    [{ deleted: true }, { isDeleted: true }],
    [{ is_stranger: true }, { isStranger: true, teamId: 'T1' }],
    [{ team_id: 'T2' }, { isStranger: true, teamId: 'T2' }],
    [
      { team_id: 'T2', enterprise_user: { teams: ['T3', 'T1'] } },
      { isStranger: false, teamId: 'T1' },
    ],
    [
      { team_id: 'T2', enterprise_user: { teams: ['T3'] } },
      { isStranger: true, teamId: 'T2' },
    ],
    [
      { team_id: 'T2', enterprise_user: {} },
      { isStranger: true, teamId: 'T2' },
    ],
    [
      { team_id: 'T1', enterprise_user: { teams: ['T3'] } },
      { isStranger: false, teamId: 'T1' },
    ],
  ])('%o means %o', async (told, meant) => {
    const { people, world } = await openDirectory();
    world.slack.set('U1', { id: 'U1', ...told });
    const none = { isGuest: false, isBot: false, isDeleted: false, isStranger: false };
    expect(await people.find('U1')).toMatchObject({ ...none, ...meant });
  });

  test('is believed for ten minutes', async () => {
    const { people, world, wait } = await openDirectory();
    world.slack.set('U1', { id: 'U1', name: 'anna' });
    await people.find('U1');
    world.slack.set('U1', { id: 'U1', name: 'annabel' });
    wait(10 * minute - 1);
    expect((await people.find('U1'))?.name).toBe('anna');
    expect(world.asked.slack).toBe(1);
    wait(1);
    expect((await people.find('U1'))?.name).toBe('annabel');
    expect(world.asked.slack).toBe(2);
  });

  test.each(['user_not_found', 'user_not_visible', 'invalid_user_id'])('%s: Slack knows nobody', async word => {
    const { people, world } = await openDirectory();
    world.slack.set('U1', refusal(word));
    expect(await people.find('U1')).toBeUndefined();
    expect(world.noted).toEqual([]);
  });

  test('an answer without a user is nobody, and is asked for again', async () => {
    const { people, world } = await openDirectory();
    expect(await people.find('U1')).toBeUndefined();
    expect(await people.find('U1')).toBeUndefined();
    expect(world.asked.slack).toBe(2);
  });

  test('while Slack cannot be asked, what is known still counts; else it fails, and either is noted', async () => {
    const { people, world, wait } = await openDirectory();
    world.slack.set('U1', { id: 'U1', name: 'anna' });
    await people.find('U1');
    wait(11 * minute);
    world.slack.set('U1', refusal('ratelimited'));
    expect((await people.find('U1'))?.name).toBe('anna');
    world.slack.set('U2', refusal('fatal_error'));
    await expect(people.find('U2')).rejects.toThrow('fatal_error');
    expect(world.noted).toMatchObject([
      { reason: 'ratelimited', msg: expect.stringMatching(/\w/) },
      { reason: 'fatal_error', msg: expect.stringMatching(/\w/) },
    ]);
  });

  test('of five thousand people the longest known are forgotten first', async () => {
    const { people, world } = await openDirectory([], forgetful);
    const ids = Array.from({ length: 5001 }, (_, index) => `U${index}`);
    for (const id of ids) world.slack.set(id, { id, name: id });
    for (const id of ids.slice(0, 5000)) await people.find(id);
    await people.find('U0');
    expect(world.asked.slack).toBe(5000);
    await people.find('U5000');
    await people.find('U1');
    expect(world.asked.slack).toBe(5001);
    await people.find('U0');
    expect(world.asked.slack).toBe(5002);
  });

  test('somebody asked for again is the latest known', async () => {
    const { people, world, wait } = await openDirectory([], forgetful);
    const ids = Array.from({ length: 5001 }, (_, index) => `U${index}`);
    for (const id of ids) world.slack.set(id, { id, name: id });
    for (const id of ids.slice(0, 5000)) await people.find(id);
    wait(10 * minute);
    await people.find('U0');
    await people.find('U5000');
    world.asked.slack = 0;
    await people.find('U0');
    expect(world.asked.slack).toBe(0);
  });
});

test('somebody asked for again takes nobody else’s place', async () => {
  const { people, world, wait } = await openDirectory([], forgetful);
  const ids = Array.from({ length: 5000 }, (_, index) => `U${index}`);
  for (const id of ids) world.slack.set(id, { id, name: id });
  for (const id of ids) await people.find(id);
  wait(10 * minute);
  await people.find('U1');
  world.slack.set('U0', refusal('fatal_error'));
  expect((await people.find('U0'))?.name).toBe('U0');
});

describe('who somebody is in the API', () => {
  const linked = user({ userID: 'g:1', slackUserID: 'U1', slackTeamID: 'T1', email: 'other@example.com' });
  const sameMail = user({ userID: 'g:2', email: 'Anna@Example.com', name: 'somebody else' });
  const sameName = user({ userID: 'g:3', name: 'anna' });

  test('the user linked to the Slack account, before one with the same e-mail', async () => {
    const { people } = await openDirectory([sameName, sameMail, linked]);
    expect(await people.toKnown(anna)).toEqual({
      userID: 'g:1',
      name: 'anna',
      email: 'anna@example.com',
      slackUserID: 'U1',
      slackTeamID: 'T1',
    });
  });

  test('what is not known of them is left out', async () => {
    const { people } = await openDirectory();
    const photoURL = 'https://x/a.png';
    const known = { userID: 'slack:U1', slackUserID: 'U1', slackTeamID: 'T1' };
    expect(await people.toKnown({ ...anna, name: '', email: '' })).toEqual(known);
    expect(await people.toKnown({ ...anna, photoURL, email: '' })).toEqual({ ...known, name: 'anna', photoURL });
  });

  test('a link without a team counts, one of another team does not', async () => {
    const anywhere = user({ userID: 'g:4', slackUserID: 'U1' });
    const elsewhere = user({ userID: 'g:5', slackUserID: 'U1', slackTeamID: 'T2' });
    expect((await (await openDirectory([elsewhere, anywhere])).people.toKnown(anna)).userID).toBe('g:4');
    expect((await (await openDirectory([elsewhere])).people.toKnown(anna)).userID).toBe('slack:U1');
  });

  test('else the one with the same e-mail, whatever its case, and never one without', async () => {
    expect((await (await openDirectory([sameName, sameMail])).people.toKnown(anna)).userID).toBe('g:2');
    const { people: nameless } = await openDirectory([user({ userID: 'g:6' })]);
    expect((await nameless.toKnown({ ...anna, email: '' })).userID).toBe('slack:U1');
  });

  test('else nobody it has met: a similar name is not enough', async () => {
    expect((await (await openDirectory([sameName])).people.toKnown(anna)).userID).toBe('slack:U1');
  });

  test('all pages are read, once in ten minutes, with five hundred people each', async () => {
    const { people, world, wait } = await openDirectory();
    world.pages = [[sameName], [], [linked]];
    expect((await people.toKnown(anna)).userID).toBe('g:1');
    const query = { limit: 500 };
    expect(world.inputs).toEqual([
      { query },
      { query, cursor: { nextValue: '1', hasMore: true } },
      { query, cursor: { nextValue: '2', hasMore: true } },
    ]);
    wait(10 * minute - 1);
    await people.toKnown(anna);
    expect(world.asked.api).toBe(3);
    wait(1);
    await people.toKnown(anna);
    expect(world.asked.api).toBe(6);
  });

  test('only as many pages are read as it takes to find somebody', async () => {
    const { people, world } = await openDirectory();
    world.pages = [[sameName], [linked], [sameMail]];
    expect((await people.toKnown(anna)).userID).toBe('g:1');
    expect(await people.toSlackId('g:1')).toBe('U1');
    expect(world.asked.api).toBe(2);
    expect(await people.toSlackId('g:2')).toBe('');
    expect(world.asked.api).toBe(3);
  });

  test('a list that takes long is waited for once, and is there for the next act', async () => {
    const { people, world } = await openDirectory();
    world.pages = [[sameName], [linked]];
    const answers = Promise.withResolvers<void>();
    world.apiWaits = answers.promise;
    world.patience = 20;
    expect((await people.toKnown(anna)).userID).toBe('slack:U1');
    answers.resolve();
    await expect.poll(async () => (await people.toKnown(anna)).userID).toBe('g:1');
    expect(world.asked.api).toBe(2);
    expect(world.noted).toEqual([]);
  });

  test.each([
    [
      'away',
      (world: Awaited<ReturnType<typeof openDirectory>>['world']) => {
        world.apiFails = true;
      },
    ],
    [
      'slow',
      (world: Awaited<ReturnType<typeof openDirectory>>['world']) => {
        world.apiWaits = new Promise(() => {});
        world.patience = 20;
      },
    ],
  ])('somebody who was found once is not lost while the list is %s, also after a restart', async (_how, spoil) => {
    const { people, start, world, wait } = await openDirectory([
      linked,
      user({ userID: 'g:8', email: 'bob@example.com' }),
    ]);
    const bob = { ...anna, userId: 'U2', name: 'bob', email: 'bob@example.com' };
    await people.toKnown(anna);
    await people.toKnown(bob);
    spoil(world);
    wait(26 * 60 * minute);
    for (const each of [people, start()]) {
      expect((await each.toKnown(anna)).userID).toBe('g:1');
      expect((await each.toKnown(bob)).userID).toBe('g:8');
      expect(await each.toSlackId('g:8'), 'and neither is their Slack account').toBe('U2');
    }
  });

  test('a match of the last day is used at once, and corrected by the list that is read meanwhile', async () => {
    const { people, start, world } = await openDirectory([sameMail]);
    expect((await people.toKnown(anna)).userID).toBe('g:2');
    const answers = Promise.withResolvers<void>();
    world.apiWaits = answers.promise;
    world.pages = [[sameMail, linked]];
    const later = start();
    expect((await later.toKnown(anna)).userID).toBe('g:2');
    answers.resolve();
    await expect.poll(async () => (await later.toKnown(anna)).userID).toBe('g:1');
    world.pages = [[sameName]];
    const last = start();
    await expect.poll(async () => (await last.toKnown(anna)).userID).toBe('slack:U1');
  });

  test('a match by e-mail outlasts a look at the list without the address', async () => {
    const { people, start } = await openDirectory([sameMail]);
    await people.toKnown(anna);
    const later = start();
    await expect.poll(async () => (await later.toKnown({ ...anna, email: '' })).userID).toBe('g:2');
    expect((await later.toKnown({ ...anna, email: '' })).userID).toBe('g:2');
    expect((await later.toKnown({ ...anna, email: 'new@example.com' })).userID).toBe('slack:U1');
  });

  test('an API that goes in circles, or on without a cursor, is asked no further', async () => {
    const circle = await openDirectory();
    circle.world.nextValues = ['1', '1'];
    circle.world.pages = [[sameName], [linked]];
    expect((await circle.people.toKnown(anna)).userID).toBe('g:1');
    expect(circle.world.asked.api).toBe(2);
    const further = await openDirectory();
    further.world.nextValues = ['1', ''];
    further.world.pages = [[sameName], [linked]];
    expect((await further.people.toKnown(anna)).userID).toBe('g:1');
    expect(further.world.asked.api).toBe(2);
    const endless = await openDirectory([linked]);
    endless.world.nextValues = [''];
    expect((await endless.people.toKnown(anna)).userID).toBe('g:1');
    expect(endless.world.asked.api).toBe(1);
  });

  test('an API that is away costs the link alone, and is asked again after half a minute', async () => {
    const { people, world, wait } = await openDirectory([linked]);
    world.apiFails = true;
    expect((await people.toKnown(anna)).userID).toBe('slack:U1');
    expect(world.noted).toMatchObject([
      { level: 'warn', err: { message: 'The API is away' }, msg: expect.stringMatching(/\w/) },
    ]);
    world.apiFails = false;
    wait(30_000 - 1);
    expect((await people.toKnown(anna)).userID).toBe('slack:U1');
    expect(world.asked.api).toBe(1);
    wait(1);
    expect((await people.toKnown(anna)).userID).toBe('g:1');
  });

  test('an API that has no list is asked once an hour', async () => {
    const { people, world, wait } = await openDirectory([linked]);
    world.apiRefuses = true;
    for (let time = 0; time < 4; time += 1) {
      expect((await people.toKnown(anna)).userID).toBe('slack:U1');
      wait(15 * 60_000 - 1);
    }
    expect(world.asked.api).toBe(1);
    world.apiRefuses = false;
    wait(4);
    expect((await people.toKnown(anna)).userID).toBe('g:1');
  });

  test('the Slack id behind a user: in the id, in the link, or unknown', async () => {
    const { people, world } = await openDirectory([sameName, linked]);
    expect(await people.toSlackId('slack:U7')).toBe('U7');
    expect(world.asked.api).toBe(0);
    expect(await people.toSlackId('g:1')).toBe('U1');
    expect(await people.toSlackId('g:3')).toBe('');
    expect(await people.toSlackId('g:9')).toBe('');
  });

  test('a Slack id of another workspace is never taken for one of ours', async () => {
    const elsewhere = user({ userID: 'g:5', slackUserID: 'U5', slackTeamID: 'T2' });
    const anywhere = user({ userID: 'g:6', slackUserID: 'U6' });
    const { people } = await openDirectory([elsewhere, anywhere]);
    expect(await people.toSlackId('g:5')).toBe('');
    expect(await people.toSlackId('g:6')).toBe('U6');
  });
});

describe('settling who was named', () => {
  const linked = user({ userID: 'g:1', slackUserID: 'U1', slackTeamID: 'T1' });

  /** The directory after it could not be read a moment ago. */
  async function openAfterOutage() {
    const opened = await openDirectory([linked]);
    opened.world.slack.set('U1', { id: 'U1', team_id: 'T1', name: 'anna' });
    opened.world.apiFails = true;
    await opened.people.toKnown(anna);
    opened.world.apiFails = false;
    return opened;
  }

  test('an id of the API stays, and nobody is asked', async () => {
    const { people, world } = await openDirectory([linked]);
    expect(await people.resolveUserID('g:7', { askedAt: world.now, isRetry: true })).toBe('g:7');
    expect(world.asked).toEqual({ slack: 0, patiently: 0, api: 0 });
  });

  test('a Slack id becomes the API’s where the two are linked', async () => {
    const { people, world } = await openDirectory([linked]);
    world.slack.set('U1', { id: 'U1', team_id: 'T1', name: 'anna' });
    world.slack.set('U2', { id: 'U2', team_id: 'T1', name: 'bob' });
    expect(await people.resolveUserID('slack:U1', { askedAt: world.now, isRetry: false })).toBe('g:1');
    expect(await people.resolveUserID('slack:U2', { askedAt: world.now, isRetry: false })).toBe('slack:U2');
  });

  test('somebody unknown, and a Slack that fails, leave it as it is', async () => {
    const { people, world } = await openDirectory([linked]);
    world.slack.set('U1', refusal('fatal_error'));
    expect(await people.resolveUserID('slack:U1', { askedAt: world.now, isRetry: false })).toBe('slack:U1');
    expect(await people.resolveUserID('slack:U3', { askedAt: world.now, isRetry: false })).toBe('slack:U3');
    expect(world.asked.api).toBe(0);
  });

  test('what is done at once does not ask an API again that was away', async () => {
    const { people, world } = await openAfterOutage();
    const askedAt = new Date(world.now.getTime() - 1000);
    expect(await people.resolveUserID('slack:U1', { askedAt, isRetry: false })).toBe('slack:U1');
    expect(world.asked.api).toBe(1);
  });

  test.each([
    ['what was kept for more than a second', 1001, false],
    ['what is tried again', 0, true],
  ])('%s does', async (_what, ago, isRetry) => {
    const { people, world } = await openAfterOutage();
    const askedAt = new Date(world.now.getTime() - ago);
    expect(await people.resolveUserID('slack:U1', { askedAt, isRetry })).toBe('g:1');
    expect(world.asked.api).toBe(2);
    await people.resolveUserID('slack:U1', { askedAt, isRetry });
    expect(world.asked.api, 'a list that was read is not read again').toBe(2);
  });
});

describe('who acts', () => {
  const actor = { teamId: 'T1', userId: 'U1' };
  const member = { id: 'U1', team_id: 'T1', name: 'anna', tz: 'Europe/Berlin' };
  const away = refusal('fatal_error');

  test('somebody whom Slack never described may read as a guest, and changes nothing', async () => {
    const { people, world } = await openDirectory();
    world.slack.set('U1', away);
    const unknown = { ...actor, name: '', email: '', photoURL: '', timeZone: '' };
    const rights = { isGuest: true, isAdmin: false, isBot: false, isDeleted: false, isStranger: false };
    expect(await people.identify(actor, 'read')).toEqual({ ...unknown, ...rights });
    await expect(people.identify(actor, 'change')).rejects.toBeInstanceOf(NotIdentified);
    expect(world.asked).toMatchObject({ slack: 2, patiently: 1 });
  });

  test('somebody whose request names another workspace stays a stranger', async () => {
    const { people, world } = await openDirectory();
    world.slack.set('U1', away);
    const partner = { teamId: 'T2', userId: 'U1' };
    expect(await people.identify(partner, 'read')).toMatchObject({ teamId: 'T2', isStranger: true });
    expect(await people.identify(partner, 'change')).toMatchObject({ teamId: 'T2', isStranger: true });
  });

  test('a change waits for one patient try, and no longer', async () => {
    const { people, world } = await openDirectory();
    world.slack.set('U1', refusal('ratelimited'));
    world.patiently.set('U1', member);
    expect(await people.identify(actor, 'change')).toMatchObject({ name: 'anna', isGuest: false });
    const { people: others, world: busy } = await openDirectory();
    busy.slack.set('U1', refusal('ratelimited'));
    busy.patiently.set('U1', new Promise(() => {}));
    busy.patience = 20;
    await expect(others.identify(actor, 'change')).rejects.toBeInstanceOf(NotIdentified);
  });

  test('who makes a change is looked up again after a minute, and a reader after ten', async () => {
    const { people, world, wait } = await openDirectory();
    world.slack.set('U1', member);
    await people.identify(actor, 'change');
    world.slack.set('U1', { ...member, is_restricted: true });
    wait(minute / 2 - 1);
    expect(await people.identify(actor, 'change')).toMatchObject({ isGuest: false });
    expect(world.asked.slack).toBe(1);
    wait(minute / 2 + 1);
    expect(await people.identify(actor, 'read')).toMatchObject({ isGuest: false });
    expect(world.asked.slack).toBe(1);
    expect(await people.identify(actor, 'change')).toMatchObject({ isGuest: true });
    expect(world.asked.slack).toBe(2);
  });

  test('who changes something each minute is looked up again behind it, once at a time, and does not wait', async () => {
    const { people, world, wait } = await openDirectory();
    world.slack.set('U1', member);
    await people.identify(actor, 'change');
    world.slack.set('U1', { ...member, is_restricted: true });
    wait(minute / 2);
    const [first] = await Promise.all([people.identify(actor, 'change'), people.identify(actor, 'change')]);
    expect(first, 'it did not wait').toMatchObject({ isGuest: false });
    await expect.poll(async () => (await people.identify(actor, 'read'))?.isGuest).toBe(true);
    expect(world.asked.slack).toBe(2);
    wait(minute / 2 - 1);
    expect(await people.identify(actor, 'change')).toMatchObject({ isGuest: true });
    expect(world.asked.slack).toBe(2);
  });

  test('while Slack is away, a look of the last ten minutes counts for a change', async () => {
    const { people, world, wait } = await openDirectory();
    world.slack.set('U1', member);
    await people.identify(actor, 'change');
    world.slack.set('U1', away);
    wait(10 * minute - 1);
    expect(await people.identify(actor, 'change')).toMatchObject({ name: 'anna', isGuest: false });
    wait(1);
    await expect(people.identify(actor, 'change')).rejects.toBeInstanceOf(NotIdentified);
    expect(await people.identify(actor, 'read'), 'a reader is judged by it for longer').toMatchObject({
      name: 'anna',
      isGuest: false,
      timeZone: 'Europe/Berlin',
    });
  });

  test.each([
    { is_restricted: true, meant: { isGuest: true } },
    { deleted: true, meant: { isDeleted: true } },
    { is_stranger: true, meant: { isStranger: true } },
    { is_bot: true, meant: { isBot: true } },
  ])('who might not act before may not now, whatever Slack says: %o', async ({ meant, ...told }) => {
    const { people, start, world, wait } = await openDirectory();
    world.slack.set('U1', { ...member, ...told });
    await people.identify(actor, 'change');
    world.slack.set('U1', away);
    wait(60 * minute);
    expect(await people.identify(actor, 'change')).toMatchObject(meant);
    expect(await start().identify(actor, 'change'), 'also after a restart').toMatchObject(meant);
    expect(await start().identify(actor, 'read'), 'and a reader').toMatchObject(meant);
  });

  test('a restart forgets no name and no zone, and e-mail addresses alone', async () => {
    const { people, start, world } = await openDirectory();
    world.slack.set('U1', { ...member, profile: { email: 'anna@example.com' } });
    await people.find('U1');
    world.slack.set('U1', away);
    expect(await start().find('U1')).toEqual({ ...anna, timeZone: 'Europe/Berlin', email: '' });
    expect(await namesOf(start(), ['U1'])).toEqual(new Map([['U1', 'anna']]));
  });

  test('what another process heard counts here', async () => {
    const { people, start, world } = await openDirectory();
    world.slack.set('U1', { ...member, profile: { email: 'anna@example.com' } });
    await people.identify(actor, 'change');
    world.now = new Date(world.now.getTime() + 1);
    await start().learn({ ...member, is_restricted: true, updated: 1 }, 'changed');
    expect(await people.identify(actor, 'change')).toMatchObject({ isGuest: true, email: 'anna@example.com' });
    expect(world.asked.slack).toBe(1);
  });

  test('an event counts at once, and not when it is older than what is known', async () => {
    const { people, world } = await openDirectory();
    world.slack.set('U1', { ...member, updated: 5 });
    await people.identify(actor, 'change');
    await people.learn({ ...member, deleted: true, updated: 4 }, 'changed');
    expect(await people.identify(actor, 'change')).toMatchObject({ isDeleted: false });
    await people.learn({ ...member, deleted: true, updated: 6 }, 'changed');
    expect(await people.identify(actor, 'change')).toMatchObject({ isDeleted: true });
    expect(world.asked.slack).toBe(1);
  });

  test('an answer that was on its way while an event came does not undo it', async () => {
    const { people, world } = await openDirectory();
    const answer = Promise.withResolvers<object>();
    world.slack.set('U1', answer.promise);
    const asked = people.identify(actor, 'change');
    await people.learn({ ...member, is_restricted: true, updated: 6 }, 'new');
    answer.resolve({ ...member, updated: 5 });
    expect(await asked).toMatchObject({ isGuest: true });
    expect(await people.identify(actor, 'change')).toMatchObject({ isGuest: true });
  });

  test('after a restart a change asks for the e-mail address, which is not kept', async () => {
    const { people, start, world } = await openDirectory();
    world.slack.set('U1', { ...member, profile: { email: 'anna@example.com' } });
    await people.identify(actor, 'change');
    expect(await start().identify(actor, 'change')).toMatchObject({ email: 'anna@example.com' });
    world.slack.set('U1', away);
    expect(await start().identify(actor, 'change'), 'what was heard a moment ago counts').toMatchObject({
      isGuest: false,
    });
  });

  test('an event about somebody whom nobody asked for is kept only when they are new', async () => {
    const { people, world } = await openDirectory();
    await people.learn({ id: 'U1', name: 'anna' }, 'changed');
    await people.learn({ id: 'U2', name: 'bob' }, 'new');
    await people.learn({ name: 'nobody' }, 'new');
    world.slack.set('U1', away);
    world.slack.set('U2', away);
    await expect(people.find('U1')).rejects.toThrow('fatal_error');
    expect((await people.find('U2'))?.name).toBe('bob');
  });

  test('somebody of whom Slack has not spoken for 90 days is deleted', async () => {
    const { people, start, store, world } = await openDirectory();
    world.slack.set('U1', member);
    await people.find('U1');
    const days = (count: number) => new Date(world.now.getTime() + count * 24 * 60 * minute);
    expect(await store.purge(days(90))).toBe(0);
    expect(await store.purge(new Date(days(90).getTime() + 1))).toBe(1);
    world.slack.set('U1', away);
    await expect(start().find('U1')).rejects.toThrow('fatal_error');
  });

  test('a database that fails costs what it would have kept', async () => {
    const { people, close, world } = await openDirectory();
    await close();
    world.slack.set('U1', member);
    expect(await people.identify(actor, 'change')).toMatchObject({ name: 'anna' });
    expect(world.noted.map(each => each.msg)).toEqual([
      'people: could not read what is known of a person',
      'people: could not store what is known of a person',
    ]);
  });
});

describe('in an organisation', () => {
  const of = (enterprise_id: string, ...teams: string[]) => ({ enterprise_user: { enterprise_id, teams } });
  test.each([
    ['of a workspace of it', { team_id: 'T1', ...of('E1', 'T1') }, true],
    ['of another workspace of it', { team_id: 'T3', ...of('E1', 'T3') }, true],
    ['of several', { team_id: 'T2', ...of('E1', 'T1', 'T2') }, true],
    ['of none yet', { team_id: 'E1' }, true],
    ['whose workspace is not told', of('E1'), true],
    ['of a workspace of its own', { team_id: 'T1' }, false],
    ['of another organisation', { team_id: 'T9', ...of('E9', 'T9') }, false],
    ['of another one, of which it names a workspace', { team_id: 'T9', ...of('E9', 'T1') }, false],
  ])('a person %s', (_which, user, isOurs) => {
    const person = toPerson({ id: 'W1', is_admin: true, ...user }, 'E1');
    expect([person.isStranger, person.isAdmin, person.teamId === 'E1']).toEqual([!isOurs, isOurs, isOurs]);
    expect(toPerson({ id: 'W1', is_restricted: true, ...user }, 'E1')).toMatchObject({ isGuest: true });
  });

  test.each([
    ['E1', true],
    ['T1', true],
    ['T2', true],
    // Perhaps of the organisation; nobody can tell.
    ['T3', false],
    ['T9', false],
    ['', false],
  ])('who acts from %j, and whom Slack does not describe', (teamId, isOurs) => {
    const organisation = {
      identity: { teamId: 'E1' },
      workspaces: { formerHomes: [], has: (id: string) => ['T1', 'T2'].includes(id) },
    };
    const person = toUnknown({ teamId, userId: 'U1' }, organisation);
    expect([person.isStranger, person.isGuest, person.teamId]).toEqual([!isOurs, true, isOurs ? 'E1' : teamId]);
  });
});
