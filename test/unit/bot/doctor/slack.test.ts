import { expect, test } from 'vitest';
import { checkManifest } from '../../../../src/bot/doctor/manifest.ts';
import { toReportText } from '../../../../src/bot/doctor/report.ts';
import { features } from '../../../../src/bot/features.ts';
import { commandsOf, toManifest } from '../../../../src/bot/manifest.ts';
import { events, scopes } from '../../../../src/bot/slack/permissions.ts';
import { patient } from '../../../support/deadlines.ts';
import { openPatient } from '../../../support/doctor.ts';
import { grants } from '../../../support/grants.ts';
import { acme, labs, west } from '../../../support/grid.ts';

const settings = { commandRoot: 'muster', publicUrl: '' };

test('a new installation fails in nothing, and says what only time and people can tell', async () => {
  const patient = await openPatient();
  const report = [...(await patient.examine()).values()];
  expect(report.filter(each => each.state === 'failing')).toEqual([]);
  expect(report.filter(each => each.state === 'unknown').map(each => each.subject)).toEqual([
    ...events.map(each => `event ${each.name}`),
    ...commandsOf(features, settings.commandRoot).map(name => `command ${name}`),
    // Its database is as old as time itself, and has no copy.
    'backup',
  ]);
  expect(report.filter(each => each.state === 'ok').map(each => each.subject)).toEqual([
    ...[
      'bot token',
      'app token',
      'signing secret',
      'request URL',
      'scopes',
      'messages',
      'announcement channel',
      'clock',
      'pages',
    ],
    ...[
      'changes made elsewhere',
      'alerts',
      'pagers',
      'database',
      'database schema',
      'disk',
      'storing',
      'inbox',
      'journal',
    ],
  ]);
});

test.each(scopes)('without the scope $name the doctor names it, its use and the clicks', async ({ name, use }) => {
  const patient = await openPatient({ scopes: grants.scopes.filter(each => each !== name) });
  const report = await patient.examine();
  expect(report.get(`scope ${name}`)).toMatchObject({ state: 'failing', stops: use });
  expect(report.get(`scope ${name}`)?.fix).toMatch(`Bot Token Scopes: add ${name}, then Install App → Reinstall`);
  const others = [...report.values()].filter(each => each.state === 'failing' && each.subject.startsWith('scope '));
  expect(others.map(each => each.subject)).toEqual([`scope ${name}`]);
  for (const event of events) {
    const isShut = event.needs.includes(name);
    expect(report.get(`event ${event.name}`)?.state).toBe(isShut ? 'failing' : 'unknown');
  }
});

test.each([
  ['503', { status: 503, body: 'upstream connect error' }, 'unreachable'],
  ['429', { rateLimited: 30 }, 'ratelimited'],
  ['a connection that breaks', { dropBefore: true }, 'unreachable'],
] as const)(
  'Slack that fails messages with %s, and answers all else, fails the line of messages',
  async (_, fault, why) => {
    const patient = await openPatient();
    patient.slack.fail('chat.postMessage', fault);
    const report = await patient.examine();
    expect(report.get('messages')).toMatchObject({ state: 'failing', found: `Slack does not take them now: ${why}.` });
    expect(report.get('bot token')?.state).toBe('ok');
    expect((await patient.examine()).get('messages')?.state).toBe('ok');
    expect(patient.slack.channels.flatMap(each => each.messages)).toEqual([]);
  },
);

test.each(events)('an event $name that has not arrived is named with its use and the clicks', async ({ name, use }) => {
  const patient = await openPatient();
  const subject = `event ${name}`;
  expect((await patient.examine()).get(subject)).toMatchObject({ state: 'unknown', stops: use });
  expect((await patient.examine()).get(subject)?.fix).toContain(`${name} must be there`);
  const [type, kind] = name.startsWith('message.') ? ['message', name.slice('message.'.length)] : [name, ''];
  const channelType = { channels: 'channel', groups: 'group', im: 'im', mpim: 'mpim' }[kind];
  patient.sightings.note({ type: 'event_callback', event: { type, channel_type: channelType } });
  expect((await patient.examine()).get(subject)).toMatchObject({ state: 'ok', stops: '' });
});

test.each([
  ['token_revoked', 'Slack refuses it: token_revoked.', 'Install the app again'],
  ['invalid_auth', 'Slack refuses it: invalid_auth.', 'SLACK_BOT_TOKEN'],
  ['account_inactive', 'Slack refuses it: account_inactive.', 'SLACK_BOT_TOKEN'],
])('a bot token that Slack refuses as %s stops everything', async (error, found, fix) => {
  const patient = await openPatient();
  patient.slack.fail('auth.test', { error });
  const report = await patient.examine();
  expect(report.get('bot token')).toMatchObject({
    state: 'failing',
    found,
    stops: expect.stringMatching(/^everything/),
  });
  expect(report.get('bot token')?.fix).toContain(fix);
  expect(report.get('scopes')?.state).toBe('unknown');
});

test('a Slack that does not answer is told from one that refuses', async () => {
  const patient = await openPatient({}, () => ({ slackApiUrl: 'http://127.0.0.1:9/api/' }));
  const report = await patient.examine();
  expect(report.get('bot token')).toMatchObject({ state: 'failing', found: 'Slack does not answer.' });
  expect(report.get('bot token')?.fix).toContain('network');
  expect(report.get('clock')?.state).toBe('unknown');
  expect(report.get('database')?.state).toBe('ok');
});

test('an app token that Slack refuses, and one of another app, stop what people do', async () => {
  const patient = await openPatient();
  patient.slack.fail('apps.connections.open', { error: 'invalid_auth' });
  const refused = (await patient.examine()).get('app token');
  expect(refused).toMatchObject({ state: 'failing', found: 'Slack refuses it: invalid_auth.' });
  expect(refused?.fix).toContain('connections:write');

  const other = await openPatient({}, () => ({ mode: { kind: 'socket', appToken: 'xapp-1-A0OTHER-1-x' } }));
  other.slack.fail('apps.connections.open', { status: 200, body: '{"ok":true,"url":"wss://x"}' });
  const stranger = (await other.examine()).get('app token');
  expect(stranger).toMatchObject({ state: 'failing', found: expect.stringContaining('belongs to the app A0OTHER') });
  expect(stranger?.fix).toContain(`Take it from the app ${other.slack.appId}`);
});

test('the signing secret is proved by a request that arrived', async () => {
  const patient = await openPatient({}, slack => ({ mode: { kind: 'http', signingSecret: slack.signingSecret } }));
  const unproved = (await patient.examine()).get('signing secret');
  expect(unproved).toMatchObject({ state: 'unknown', fix: expect.stringContaining('SLACK_SIGNING_SECRET') });
  patient.sightings.note({ type: 'block_actions' });
  expect((await patient.examine()).get('signing secret')?.state).toBe('ok');
});

test.each([
  [-40, 'http', '40 s behind', 'right times'],
  [90, 'socket', '90 s ahead of', 'right times'],
  [-600, 'http', '600 s behind', 'all that people do in Slack'],
  [600, 'socket', '600 s ahead of', 'right times'],
] as const)('a clock that is off by %i s, over %s, is %s', async (skew, kind, found, stops) => {
  const patient = await openPatient({}, ({ signingSecret, appToken }) => ({
    mode: kind === 'http' ? { kind, signingSecret } : { kind, appToken },
  }));
  const clock = () => new Date(Date.now() + skew * 1000);
  const line = (await patient.examine({ clock })).get('clock');
  expect(line).toMatchObject({ state: 'failing', stops: expect.stringContaining(stops) });
  expect(line?.found).toMatch(
    new RegExp(
      `^It is ${found.replace(/\d+/, seconds => `(${seconds}|${Number(seconds) - 1}|${Number(seconds) + 1})`)}`,
    ),
  );
  expect(line?.fix).toContain('NTP');
});

test('a clock within half a minute is right', async () => {
  const patient = await openPatient();
  const clock = () => new Date(Date.now() + 20_000);
  expect((await patient.examine({ clock })).get('clock')?.state).toBe('ok');
});

test.each([
  ['archived', { isArchived: true, botIsMember: true }, 'is archived', 'Unarchive #news'],
  ['private, without the bot', { isPrivate: true }, 'it is private and the bot is not in it', '/invite @Muster'],
  ['not there', undefined, 'It does not exist', 'ANNOUNCE_CHANNEL'],
] as const)('an announcement channel that is %s stops announcements', async (_, channel, found, fix) => {
  const patient = await openPatient({}, slack => ({
    announceChannel: channel ? slack.addChannel({ name: 'news', ...channel }).id : 'C0NOWHERE',
  }));
  const line = (await patient.examine()).get('announcement channel');
  expect(line).toMatchObject({ state: 'failing', stops: 'announcements of incidents' });
  expect(line?.found).toContain(found);
  expect(line?.fix).toContain(fix);
});

test('the bot may announce in a public channel without being in it only with the scope for that', async () => {
  const settings = (slack: { addChannel(of: { name: string }): { id: string } }) => ({
    announceChannel: slack.addChannel({ name: 'news' }).id,
  });
  const able = await openPatient({}, settings);
  expect((await able.examine()).get('announcement channel')).toMatchObject({
    state: 'ok',
    found: 'The bot may post in #news.',
  });
  const unable = await openPatient({ scopes: grants.scopes.filter(each => each !== 'chat:write.public') }, settings);
  const line = (await unable.examine()).get('announcement channel');
  expect(line).toMatchObject({ state: 'failing', fix: 'In #news, type /invite @Muster.' });
  const mute = await openPatient({ scopes: grants.scopes.filter(each => each !== 'chat:write') }, settings);
  expect((await mute.examine()).get('announcement channel')).toMatchObject({
    state: 'failing',
    fix: 'Add the scope chat:write.',
  });
  const blind = await openPatient({ scopes: grants.scopes.filter(each => each !== 'channels:read') }, settings);
  expect((await blind.examine()).get('announcement channel')).toMatchObject({
    state: 'unknown',
    fix: 'Add the scope.',
  });
});

test('a command that arrived is ours, and one that was typed and did not arrive is taken', async () => {
  const patient = await openPatient();
  patient.sightings.note({ command: '/muster' });
  const report = new Map((await patient.doctor().examine({ typed: true })).map(each => [each.subject, each]));
  expect(report.get('command /muster')).toMatchObject({ state: 'ok' });
  const taken = report.get('commands /incident, /task, /role, /note, /dash');
  expect(taken).toMatchObject({ state: 'failing', found: expect.stringContaining('another app has taken them') });
  expect(taken?.stops).toContain('“/muster task …”');
  expect(taken?.stops).toContain('and a mention of the bot do the same');
  expect(taken?.fix).toContain('muster manifest');
});

test('commands that are taken share one line, so what fixes them is said once', async () => {
  const patient = await openPatient();
  const names = ['/muster', '/task', '/role'];
  const findings = await patient.doctor({ commands: names }).examine({ typed: true });
  expect(findings.filter(each => each.fix.includes('App Manifest'))).toMatchObject([
    {
      subject: 'commands /muster, /task, /role',
      stops: '/muster …, /task …, /role …; a mention of the bot does the same',
    },
  ]);
  expect(toReportText(findings).match(/removes the other app/g)).toHaveLength(1);
  patient.sightings.note({ command: '/muster' });
  patient.sightings.note({ command: '/role' });
  const one = (await patient.doctor({ commands: names }).examine({ typed: true })).find(
    each => each.state === 'failing',
  );
  expect(one).toMatchObject({
    subject: 'command /task',
    found: expect.stringContaining('another app has taken /task'),
    stops: '/task …; “/muster task …” and a mention of the bot do the same',
  });
});

test('a command that arrived long ago is looked at again, and names that people make up are not noted', async () => {
  const patient = await openPatient();
  patient.sightings.note({ command: '/task' });
  patient.sightings.note({ command: '/<script>' });
  patient.sightings.note({ type: 'event_callback', event: { type: 'x'.repeat(5000) } });
  expect([...(await patient.sightings.all()).keys()].toSorted()).toEqual(['command /task', 'delivery']);
  const clock = () => new Date(Date.now() + 8 * 24 * 60 * 60_000);
  expect((await patient.examine({ clock })).get('command /task')).toMatchObject({
    state: 'unknown',
    found: expect.stringContaining('The last one noted came'),
  });
});

const wanted = toManifest(features, settings);

/** The manifest without one of its texts. */
function without(text: string) {
  return JSON.parse(
    JSON.stringify(wanted, (_, value) =>
      Array.isArray(value)
        ? value.filter(each => each !== text && each.command !== text && each.callback_id !== text)
        : value,
    ),
  );
}

const deadlines = patient();
const parts = [
  ...scopes.map(each => ({ text: each.name, subject: `scope ${each.name}`, stops: each.use })),
  ...events.map(each => ({ text: each.name, subject: `event ${each.name}`, stops: each.use })),
  ...commandsOf(features, settings.commandRoot).map(name => ({
    text: name,
    subject: `command ${name}`,
    stops: `${name} …`,
  })),
  { text: 'add_timeline', subject: 'shortcut add_timeline', stops: 'the menu entry add_timeline' },
];

test.each(parts)(
  'with a configuration token the doctor sees that the app lacks the $subject',
  async ({ text, subject, stops }) => {
    const { slack } = await openPatient({ manifest: without(text) });
    const { apiUrl: slackApiUrl, configToken, appId } = slack;
    const [line, ...others] = await checkManifest({ slackApiUrl, deadlines, configToken, appId, wanted });
    expect(others).toEqual([]);
    expect(line).toMatchObject({ subject: `app manifest: ${subject}`, state: 'failing', stops });
    expect(line?.fix).toMatch(/Reinstall/);
  },
);

test('an app without the home tab is told', async () => {
  const manifest = JSON.parse(JSON.stringify(wanted));
  manifest.features.app_home.home_tab_enabled = false;
  const { slack } = await openPatient({ manifest });
  const { apiUrl: slackApiUrl, configToken, appId } = slack;
  expect(await checkManifest({ slackApiUrl, deadlines, configToken, appId, wanted })).toMatchObject([
    { subject: 'app manifest: home tab', state: 'failing', found: 'It is false, and should be true.' },
  ]);
});

test('an app that is as the manifest says is well, and one with other switches is not', async () => {
  const { slack } = await openPatient({ manifest: JSON.parse(JSON.stringify(wanted)) });
  const { apiUrl: slackApiUrl, configToken, appId } = slack;
  const check = { slackApiUrl, deadlines, configToken, appId, wanted };
  expect(await checkManifest(check)).toMatchObject([{ subject: 'app manifest', state: 'ok' }]);
  const overHttp = toManifest(features, { ...settings, publicUrl: 'https://muster.example.com' });
  const subjects = (await checkManifest({ ...check, wanted: overHttp })).map(each => each.subject);
  expect(subjects).toEqual(['Socket Mode', 'interactivity URL', 'event URL'].map(each => `app manifest: ${each}`));
  expect(await checkManifest({ ...check, configToken: 'xoxe.xoxp-old' })).toMatchObject([
    { state: 'unknown', found: 'Slack does not show it: invalid_auth.', fix: expect.stringContaining('twelve hours') },
  ]);
  expect(await checkManifest({ ...check, appId: '' })).toMatchObject([{ state: 'unknown' }]);
});

const both = [acme.id, west.id];

test.each([
  ['the first one for what began elsewhere', both, '', 'ok', 'began outside Slack are made in Acme. SLACK_WORKSPACE'],
  ['the chosen one', both, west.id, 'ok', 'began outside Slack are made in Acme West.'],
  [
    'that the chosen one lacks the app',
    both,
    labs.id,
    'failing',
    `SLACK_WORKSPACE is ${labs.id}, which is none of them`,
  ],
  ['that none has the app', [], '', 'failing', 'has the app in no workspace.'],
] as const)(
  'of an organisation the doctor names its workspaces, and %s',
  async (_what, granted, workspace, state, found) => {
    const patient = await openPatient({ grid: { install: 'organisation', granted } }, () => ({ workspace }));
    const report = await patient.examine();
    expect(report.get('workspaces')).toMatchObject({ state, found: expect.stringContaining(found) });
    expect(report.get('workspaces')?.found).toContain('Acme Group');
    if (granted.length > 0) expect(report.get('workspaces')?.found).toContain('has the app in: Acme, Acme West.');
    expect(report.get('bot token')?.found).toContain('in the organisation Acme Group');
    // The app's id is known, since `bots.info` names what has installed it.
    expect(report.get('app token')?.state).toBe('ok');
    expect(patient.slack.callsOf('bots.info').map(call => call.response?.error)).toEqual([undefined]);
  },
);

test('workspaces that Slack does not list cannot be told', async () => {
  const patient = await openPatient({ grid: { install: 'organisation', granted: both } });
  patient.slack.fail('auth.teams.list', { error: 'internal_error' });
  expect((await patient.examine()).get('workspaces')).toMatchObject({ state: 'unknown' });
});

test.each([
  ['nothing', '', undefined],
  ['that it is the one', acme.id, 'ok'],
  ['that the setting counts for nothing', west.id, 'failing'],
] as const)('of an app in one workspace the doctor says %s', async (_what, workspace, state) => {
  const patient = await openPatient({ grid: { install: 'workspace', granted: [] } }, () => ({ workspace }));
  expect((await patient.examine()).get('workspaces')?.state).toBe(state);
});
