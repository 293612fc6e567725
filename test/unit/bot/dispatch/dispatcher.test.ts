import { expect, test } from 'vitest';
import { openBareGeneral } from '../../../support/general.ts';
import { phrases } from '../../../support/phrases.ts';

test.each([
  [
    '/incident delcare db is down',
    'There is no command “delcare” for /incident. Did you mean /incident declare',
    '/incident delcare db is down',
  ],
  ['/task asign fix it', 'Did you mean /task assign', '/task asign fix it'],
  ['/incident frobnicate', 'There is no command “frobnicate” for /incident.', '/incident frobnicate'],
  [
    '/muster xyzzy <!channel>',
    'There is no command “xyzzy”. /muster help all lists all commands.',
    '/muster xyzzy <!channel>',
  ],
])('%s: what may have been meant, and what was typed', async (line, sentence, typed) => {
  const { type } = await openBareGeneral();
  const read = await type(line);
  expect(read).toContain(sentence);
  expect(read).toContain(`You typed: ${typed}`);
  expect(read).not.toContain('!!!');
});

test.each([
  '/incident declare Disk is full --now',
  '/muster incident declare Disk is full --now',
  '/muster declare incident Disk is full --now',
  '/incident new Disk is full --now',
  '/muster declare Disk is full --now',
])('%s declares', async line => {
  const { type } = await openBareGeneral();
  expect(await type(line)).toContain('You declared incident 1: ');
});

test('the root command has the name that the settings give it', async () => {
  const { type, slack, alice, general } = await openBareGeneral({ settings: { COMMAND_ROOT: 'fire' } });
  expect(await type('/fire declare Disk is full --now')).toContain('You declared incident 1');
  expect((await alice.command(general, '/fire')).text).toContain('Every command also works as /fire task add …');
  expect(slack.calls.filter(call => call.response?.ok === false)).toEqual([]);
});

test('both word orders reach the same task', async () => {
  const { type, tasks } = await openBareGeneral();
  await type('/incident declare Disk is full --now');
  await type('/task add One', 'inc-1-disk-is-full');
  await type('/incident add task Two', 'inc-1-disk-is-full');
  await type('/muster task add Three', 'inc-1-disk-is-full');
  expect((await tasks('1')).filter(each => /^(One|Two|Three)$/.test(each))).toEqual(['One', 'Two', 'Three']);
});

test('outside an incident’s channel recent incidents are offered, and one press is enough, however often pressed', async () => {
  const { place, alice, type, tasks, act } = await openBareGeneral();
  await type('/incident declare Disk is full & <!channel> --now');
  await type('/incident declare Nobody can log in --now');
  expect(await type('/task add Call the vendor')).toContain(
    'This channel has no incident. Which one do you mean with /task add?',
  );
  const offered = place.messages(alice, 'general').at(-1);
  if (!offered) throw new Error('Nothing was offered');
  await Promise.all([
    alice.choose(offered, 'muster.pick', '#1 Disk is full & <!channel>'),
    alice.choose(offered, 'muster.pick', '#1 Disk is full & <!channel>'),
  ]);
  await place.quiet();
  await act(() => alice.choose(offered, 'muster.pick', '#1 Disk is full & <!channel>'));
  expect((await tasks('1')).filter(each => each === 'Call the vendor')).toHaveLength(1);
  expect((await tasks('2')).filter(each => each === 'Call the vendor')).toHaveLength(0);
});

test('with --incident it is said at once', async () => {
  const { type, tasks } = await openBareGeneral();
  await type('/incident declare Disk is full --now');
  await type('/task add Call the vendor --incident #1');
  expect(await tasks('1')).toContain('Call the vendor');
});

test('an incident that does not exist is said with what was typed', async () => {
  const { type } = await openBareGeneral();
  await type('/incident declare Disk is full --now');
  const read = await type('/task add Call the vendor --incident 99');
  expect(read).toContain('99');
  expect(read).toContain('You typed: /task add Call the vendor --incident 99');
});

test('without any incident one can be declared', async () => {
  const { place, alice, type, act } = await openBareGeneral();
  const read = await type('/task add Call the vendor');
  expect(read).toContain(`${phrases.noIncidentYet}. Declare one with /incident declare.`);
  expect(read).toContain('You typed: /task add Call the vendor');
  const answer = place.messages(alice, 'general').at(-1);
  if (!answer) throw new Error('Nothing was answered');
  await act(() => alice.press(answer, 'Declare an incident'));
  expect(alice.view?.title).toBe('Declare an incident');
});

test('a press that names no block is taken as any other', async () => {
  const { place, slack, alice, general } = await openBareGeneral();
  const payload = {
    type: 'block_actions',
    team: { id: slack.teamId },
    user: { id: alice.id, team_id: slack.teamId },
    container: { type: 'message', message_ts: '1.2', channel_id: general.id, is_ephemeral: true },
    channel: { id: general.id },
    trigger_id: 'x',
    actions: [{ type: 'button', action_id: 'muster.discard', action_ts: '1.3', value: '{"intent":"x"}' }],
  };
  const reply = await slack.deliver({ body: new URLSearchParams({ payload: JSON.stringify(payload) }).toString() });
  await place.quiet();
  expect(reply.status).toBe(200);
  expect(place.lastRead(alice, 'general')).toBe('Only the person who asked for it can discard it.');
});

test('whatever is typed gets an answer', async () => {
  const { alice, general, place } = await openBareGeneral();
  for (const text of [
    '""',
    '--',
    '— —',
    '<@U1|x> <@U2|y>',
    '\u202e\u0000',
    '“',
    '<!subteam^S1|@x>',
    '&lt;!channel&gt;',
    'help help help',
    '?'.repeat(3000),
  ]) {
    for (const root of ['/incident', '/muster', '/task']) {
      const answer = await alice.command(general, `${root} ${text}`);
      await place.quiet();
      expect(answer.status).toBe(200);
      expect(place.lastRead(alice, 'general')).not.toContain('Something broke');
      if (alice.view) await alice.close();
    }
  }
});
