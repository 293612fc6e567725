import { expect, test } from 'vitest';
import { openGeneral } from '../support/general.ts';
import type { LogRecord } from '../support/watched-log.ts';

const isRefusal = (record: LogRecord) => record.msg.startsWith('slack: refuses the bot token');

/** A team whose installation Slack may end. */
async function openRevocable(socketMode: boolean) {
  const team = await openGeneral({ socketMode, expectErrors: isRefusal });
  const { slack, place } = team;
  const status = async () => {
    const answer = await fetch(`${place.muster.url}/readyz`);
    const body: Readonly<Record<string, unknown>> = JSON.parse(await answer.text());
    return { code: answer.status, problems: [] as readonly string[], ...body };
  };
  return { ...team, status, refusals: () => place.troubles.filter(isRefusal), slack, place };
}

test.each([
  ['revoked', 'token_revoked', false],
  ['uninstalled', 'account_inactive', false],
  ['revoked', 'token_revoked', true],
] as const)(
  'when the app is %s, the bot says that it is not ready and why, once (%s)',
  async (how, word, socketMode) => {
    const { slack, place, status, refusals } = await openRevocable(socketMode);
    expect(await status()).toMatchObject({ code: 200, ready: true });
    slack.revokeToken(how);
    await expect.poll(status).toMatchObject({ code: 503, ready: false, slack: 'not connected', slackRefusal: word });
    // API, pages and short links serve on.
    expect((await fetch(`${place.muster.url}/readyz?for=traffic`)).status).toBe(200);
    expect((await status()).problems.join()).toContain('Install the app again');
    await place.quiet();
    expect(refusals()).toEqual([expect.objectContaining({ reason: word })]);
    expect(refusals()[0]?.msg).toContain('install the app again');
  },
);

test('while the token is revoked, work in Slack is kept, and no call is made but the question whether it works again', async () => {
  const { slack, place, alice, general, status, refusals, act } = await openRevocable(false);
  await alice.command(general, '/incident help');
  slack.fail('conversations.create', { error: 'token_revoked' });
  slack.fail('auth.test', { error: 'token_revoked' }, { times: 1000 });
  await act(() => alice.command(general, '/incident declare Disk is full --now'));
  expect(place.lastRead(alice, 'general')).toContain('You declared incident 1');
  expect(slack.channels.some(each => each.name.startsWith('inc-'))).toBe(false);
  expect(await place.muster.bot.journal.countByState()).toContainEqual(expect.objectContaining({ state: 'pending' }));
  expect(await status()).toMatchObject({ code: 503, slackRefusal: 'token_revoked' });
  expect(place.lastRead(alice, 'general')).toContain('Slack refuses my token (token_revoked), so I could not make a');
  const made = () => slack.calls.filter(each => each.method !== 'auth.test');
  const before = made().length;
  await act(() => alice.command(general, '/note add --incident 1 Looking'));
  expect(
    made()
      .slice(before)
      .map(each => each.method),
  ).toEqual(['response_url']);
  expect(refusals()).toHaveLength(1);

  slack.heal();
  slack.restoreToken();
  await expect.poll(status).toMatchObject({ code: 200, ready: true });
  await expect.poll(() => slack.channels.some(each => each.name === 'inc-1-disk-is-full')).toBe(true);
});

test('while Slack answers no call, the status says since when; what was asked for is done when it answers', async () => {
  const { slack, place, alice, general, status } = await openRevocable(false);
  for (const method of ['auth.test', 'conversations.create', 'chat.postMessage'])
    slack.fail(method, { dropBefore: true }, { times: 1000 });
  await alice.command(general, '/incident declare Disk is full --now');
  const slackSince = expect.stringMatching(/^\d{4}-/);
  await expect.poll(status).toMatchObject({ code: 200, slack: 'does not answer', slackSince });
  const metrics = await (await fetch(`${place.muster.url}/metrics`)).text();
  expect(metrics).toContain('\nmuster_slack_connected 0\n');
  slack.heal();
  await expect.poll(status).toMatchObject({ code: 200, slack: 'connected' });
  expect(await status()).not.toHaveProperty('slackSince');
  await expect.poll(() => slack.channels.some(each => each.name === 'inc-1-disk-is-full')).toBe(true);
  const said = place.logged.filter(line => /"slack: (?:does not answer|answers again)/.test(line));
  expect(said.map(line => JSON.parse(line).level)).toEqual(['warn', 'info']);
});

test.each([
  ['503', { status: 503, body: 'upstream connect error' }],
  ['429', { rateLimited: 1 }],
  ['a connection that breaks', { dropBefore: true }],
] as const)(
  'Slack that takes no message, with %s, and answers all else, is a problem that the status tells',
  async (_, fault) => {
    const { slack, place, alice, general, status } = await openRevocable(false);
    const messages = ['chat.postMessage', 'chat.postEphemeral', 'chat.update', 'response_url'];
    for (const method of messages) slack.fail(method, fault, { times: 1000 });
    for (const text of ['declare Disk is full --now', 'declare Mail is late --now', 'status'])
      await alice.command(general, `/incident ${text}`);
    const slackSince = expect.stringMatching(/^\d{4}-/);
    await expect.poll(status).toMatchObject({ code: 200, ready: true, slack: 'takes no messages', slackSince });
    expect((await status()).problems.join()).toMatch(
      /Slack takes hardly any .*\d+ of the \d+ of the last minute failed/,
    );
    slack.heal();
    await slack.until(() => place.reads(alice, 'general').length > 0);
    for (let n = 0; n < 20; n += 1) await alice.command(general, '/incident status');
    await expect.poll(status).toMatchObject({ code: 200, slack: 'connected' });
  },
);
