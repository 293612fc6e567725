import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { createPeople, toUnverified } from '../../../../src/bot/people/directory.ts';
import { anna } from '../../../support/person.ts';

type Deps = Parameters<typeof createPeople>[0];
type ApiUser = Awaited<ReturnType<Deps['api']['UsersService']['QueryUsers']>>['users'][number];

const minute = 60_000;

function user(given: Partial<ApiUser>): ApiUser {
  const none = { internalUserID: '', modifiedTime: '', photoURL: '', grafanaUserID: '', grafanaLogin: '' };
  return { ...none, userID: '', email: '', name: '', slackUserID: '', slackTeamID: '', msTeamsUserID: '', ...given };
}

const refusal = (word: string) => Object.assign(new Error(word), { data: { error: word } });

/** What Slack and the API know, and how often they were asked. */
function openDirectory(users: readonly ApiUser[] = []) {
  const world = {
    now: new Date('2026-03-02T14:00:00Z'),
    /** What `users.info` answers, by id; an error is thrown. */
    slack: new Map<string, object | Error>(),
    /** The API's pages. */
    pages: [users] as (readonly ApiUser[])[],
    apiFails: false,
    asked: { slack: 0, api: 0 },
    inputs: [] as object[],
    budgets: [] as number[],
    noted: [] as Record<string, unknown>[],
    /** Cursors that the API answers with in place of the next page's number. */
    nextValues: undefined as readonly string[] | undefined,
  };
  const info = async ({ user: id }: { user: string }) => {
    world.asked.slack += 1;
    const known = world.slack.get(id);
    if (known instanceof Error) throw known;
    return { ok: true, ...(known ? { user: known } : {}) };
  };
  const QueryUsers: Deps['api']['UsersService']['QueryUsers'] = async (input, options) => {
    world.asked.api += 1;
    world.inputs.push(input);
    world.budgets.push(options?.budget ?? 0);
    if (world.apiFails) throw new Error('The API is away');
    const page = Number(input.cursor?.nextValue || '0');
    const nextValue = world.nextValues?.[page] ?? String(page + 1);
    const hasMore = world.nextValues ? true : page + 1 < world.pages.length;
    const users = [...(world.pages[page] ?? [])];
    return { users, query: { limit: input.query?.limit ?? 0 }, cursor: { nextValue, hasMore }, error: '' };
  };
  const people = createPeople({
    slack: { quick: { users: { info } }, identity: { teamId: 'T1' } },
    api: { UsersService: { QueryUsers } },
    clock: () => world.now,
    log: pino({ level: 'warn' }, { write: line => void world.noted.push(JSON.parse(line)) }),
  });
  const wait = (ms: number) => {
    world.now = new Date(world.now.getTime() + ms);
  };
  return { people, world, wait };
}

describe('what Slack knows of somebody', () => {
  test('is told whole', async () => {
    const { people, world } = openDirectory();
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
    const { people, world } = openDirectory();
    world.slack.set('U1', {});
    world.slack.set('U2', { id: 'U2', profile: { display_name: '', real_name: 'Bob Roe' }, name: 'bob' });
    world.slack.set('U3', { id: 'U3', profile: { display_name: '', real_name: '' }, name: 'cy' });
    world.slack.set('U4', { id: 'U4', tz: '', name: '' });
    expect(await people.find('U1')).toEqual({ ...anna, userId: '', name: 'somebody', email: '' });
    expect((await people.find('U2'))?.name).toBe('Bob Roe');
    expect((await people.find('U3'))?.name).toBe('cy');
    expect(await people.find('U4')).toMatchObject({ name: 'U4', timeZone: 'UTC', teamId: 'T1' });
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
    const { people, world } = openDirectory();
    world.slack.set('U1', { id: 'U1', ...told });
    const none = { isGuest: false, isBot: false, isDeleted: false, isStranger: false };
    expect(await people.find('U1')).toMatchObject({ ...none, ...meant });
  });

  test('is believed for ten minutes', async () => {
    const { people, world, wait } = openDirectory();
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
    const { people, world } = openDirectory();
    world.slack.set('U1', refusal(word));
    expect(await people.find('U1')).toBeUndefined();
    expect(world.noted).toEqual([]);
  });

  test('an answer without a user is nobody, and is asked for again', async () => {
    const { people, world } = openDirectory();
    expect(await people.find('U1')).toBeUndefined();
    expect(await people.find('U1')).toBeUndefined();
    expect(world.asked.slack).toBe(2);
  });

  test('while Slack cannot be asked, what is known still counts; else it fails, and either is noted', async () => {
    const { people, world, wait } = openDirectory();
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
    const { people, world } = openDirectory();
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
    const { people, world, wait } = openDirectory();
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
  const { people, world, wait } = openDirectory();
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
    const { people } = openDirectory([sameName, sameMail, linked]);
    expect(await people.toKnown(anna)).toEqual({
      userID: 'g:1',
      name: 'anna',
      photoURL: '',
      email: 'anna@example.com',
      slackUserID: 'U1',
      slackTeamID: 'T1',
    });
  });

  test('a link without a team counts, one of another team does not', async () => {
    const anywhere = user({ userID: 'g:4', slackUserID: 'U1' });
    const elsewhere = user({ userID: 'g:5', slackUserID: 'U1', slackTeamID: 'T2' });
    expect((await openDirectory([elsewhere, anywhere]).people.toKnown(anna)).userID).toBe('g:4');
    expect((await openDirectory([elsewhere]).people.toKnown(anna)).userID).toBe('slack:U1');
  });

  test('else the one with the same e-mail, whatever its case, and never one without', async () => {
    expect((await openDirectory([sameName, sameMail]).people.toKnown(anna)).userID).toBe('g:2');
    const nameless = openDirectory([user({ userID: 'g:6' })]).people;
    expect((await nameless.toKnown({ ...anna, email: '' })).userID).toBe('slack:U1');
  });

  test('else nobody it has met: a similar name is not enough', async () => {
    expect((await openDirectory([sameName]).people.toKnown(anna)).userID).toBe('slack:U1');
  });

  test('all pages are read, once in ten minutes, with five hundred people each', async () => {
    const { people, world, wait } = openDirectory();
    world.pages = [[sameName], [], [linked]];
    expect((await people.toKnown(anna)).userID).toBe('g:1');
    const query = { limit: 500 };
    expect(world.inputs).toEqual([
      { query },
      { query, cursor: { nextValue: '1', hasMore: true } },
      { query, cursor: { nextValue: '2', hasMore: true } },
    ]);
    expect(Math.max(...world.budgets)).toBeLessThanOrEqual(2000);
    expect(Math.max(...world.budgets)).toBeGreaterThan(1);
    wait(10 * minute - 1);
    await people.toKnown(anna);
    expect(world.asked.api).toBe(3);
    wait(1);
    await people.toKnown(anna);
    expect(world.asked.api).toBe(6);
  });

  test('an API that goes in circles, or on without a cursor, is asked no further', async () => {
    const circle = openDirectory();
    circle.world.nextValues = ['1', '1'];
    circle.world.pages = [[sameName], [linked]];
    expect((await circle.people.toKnown(anna)).userID).toBe('g:1');
    expect(circle.world.asked.api).toBe(2);
    const further = openDirectory();
    further.world.nextValues = ['1', ''];
    further.world.pages = [[sameName], [linked]];
    expect((await further.people.toKnown(anna)).userID).toBe('g:1');
    expect(further.world.asked.api).toBe(2);
    const endless = openDirectory([linked]);
    endless.world.nextValues = [''];
    expect((await endless.people.toKnown(anna)).userID).toBe('g:1');
    expect(endless.world.asked.api).toBe(1);
  });

  test('an API that is away costs the link alone, and is asked again after half a minute', async () => {
    const { people, world, wait } = openDirectory([linked]);
    world.apiFails = true;
    expect((await people.toKnown(anna)).userID).toBe('slack:U1');
    expect(world.noted).toMatchObject([
      { level: 40, err: { message: 'The API is away' }, msg: expect.stringMatching(/\w/) },
    ]);
    world.apiFails = false;
    wait(30_000 - 1);
    expect((await people.toKnown(anna)).userID).toBe('slack:U1');
    expect(world.asked.api).toBe(1);
    wait(1);
    expect((await people.toKnown(anna)).userID).toBe('g:1');
  });

  test('the Slack id behind a user: in the id, in the link, or unknown', async () => {
    const { people, world } = openDirectory([sameName, linked]);
    expect(await people.toSlackId('slack:U7')).toBe('U7');
    expect(world.asked.api).toBe(0);
    expect(await people.toSlackId('g:1')).toBe('U1');
    expect(await people.toSlackId('g:3')).toBe('');
    expect(await people.toSlackId('g:9')).toBe('');
  });
});

describe('settling who was named', () => {
  const linked = user({ userID: 'g:1', slackUserID: 'U1', slackTeamID: 'T1' });

  /** The directory after it could not be read a moment ago. */
  async function openAfterOutage() {
    const opened = openDirectory([linked]);
    opened.world.slack.set('U1', { id: 'U1', team_id: 'T1', name: 'anna' });
    opened.world.apiFails = true;
    await opened.people.toKnown(anna);
    opened.world.apiFails = false;
    return opened;
  }

  test('an id of the API stays, and nobody is asked', async () => {
    const { people, world } = openDirectory([linked]);
    expect(await people.resolveUserID('g:7', { askedAt: world.now, isRetry: true })).toBe('g:7');
    expect(world.asked).toEqual({ slack: 0, api: 0 });
  });

  test('a Slack id becomes the API’s where the two are linked', async () => {
    const { people, world } = openDirectory([linked]);
    world.slack.set('U1', { id: 'U1', team_id: 'T1', name: 'anna' });
    world.slack.set('U2', { id: 'U2', team_id: 'T1', name: 'bob' });
    expect(await people.resolveUserID('slack:U1', { askedAt: world.now, isRetry: false })).toBe('g:1');
    expect(await people.resolveUserID('slack:U2', { askedAt: world.now, isRetry: false })).toBe('slack:U2');
  });

  test('somebody unknown, and a Slack that fails, leave it as it is', async () => {
    const { people, world } = openDirectory([linked]);
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

test('somebody of whom only Slack’s request speaks is a member, unless of another team', () => {
  const { email: _, ...rest } = anna;
  expect(toUnverified({ teamId: 'T1', userId: 'U1' }, 'T1')).toEqual({ ...rest, name: 'U1', email: '' });
  expect(toUnverified({ teamId: 'T2', userId: 'U1' }, 'T1')).toMatchObject({ teamId: 'T2', isStranger: true });
});
