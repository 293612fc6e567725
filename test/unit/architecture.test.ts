import { readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { prepareBotProcess } from '../../playground/system/bot-process.ts';
import { allShortcuts, allVerbs, menuEntries, slashCommands } from '../../src/bot/dispatch/feature/feature.ts';
import { features } from '../../src/bot/features.ts';
import { events, scopes } from '../../src/bot/slack/permissions.ts';
import { createClient } from '../../src/client/client.ts';
import { http, rpc, rpcBase } from '../../src/contract/contract.ts';
import type { Endpoint } from '../../src/contract/define.ts';
import { Discovery } from '../../src/contract/discovery.ts';
import { Folders } from '../../src/contract/folders.ts';
import { unversioned } from '../../src/contract/unversioned.ts';
import { deadlines } from '../../src/deadlines.ts';
import { filesBelow } from '../support/docs/files.ts';
import { imports, importsBelow, sources } from '../support/imports.ts';
import { openService } from '../support/service.ts';
import { findClashes } from '../support/verb-clashes.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const ours = imports.filter(each => each.to.startsWith('src/'));
const outside = imports.filter(each => !each.to.startsWith('src/'));
/** The files of src/, and those of the demo, which runs it. */
const withDemo = [...filesBelow('playground', /\.ts$/), ...sources];
const folderOf = (path: string) => (path.split('/').length > 2 ? (path.split('/')[1] ?? '') : posix.basename(path));

test('the wiring reaches into neither the bot nor the service', () => {
  const doors = [/^src\/bot\/(bot|features|options)\.ts$/, /^src\/service\/(service|call\/options-file)\.ts$/];
  const inside = ours
    .filter(each => each.from === 'src/app.ts')
    .filter(each => ['bot', 'service'].includes(folderOf(each.to)) && !doors.some(door => door.test(each.to)));
  expect(inside).toEqual([]);
});

test('a feature never imports another feature', () => {
  const stem = (path: string) => posix.relative('src/bot/features', path).split('/')[0];
  const among = ours.filter(
    each =>
      each.from.startsWith('src/bot/features/') &&
      each.to.startsWith('src/bot/features/') &&
      stem(each.from) !== stem(each.to),
  );
  expect(among).toEqual([]);
});

test('nobody but its command imports conformance/', () => {
  const guests = ours.filter(each => folderOf(each.to) === 'conformance' && folderOf(each.from) !== 'conformance');
  expect([...new Set(guests.map(each => each.from))]).toEqual(['src/commands/conformance.ts']);
});

test.each([
  ['undici', 'src/client/transport.ts'],
  ['@slack/bolt', 'src/bot/slack/bolt.ts'],
  ['@slack/web-api', 'src/bot/slack/bolt.ts'],
  ['node:sqlite', 'src/db/sqlite.ts'],
  ['pg', 'src/db/postgres.ts'],
  ['commander', 'src/main.ts'],
  ['prom-client', 'src/operations/metrics.ts'],
])('%s comes in at run time by one door', (name, door) => {
  const users = outside.filter(each => `${each.to}/`.startsWith(`${name}/`) && !each.typeOnly).map(each => each.from);
  expect([...new Set(users)]).toEqual([door]);
});

test('the environment is read in the entry alone', () => {
  const readers = withDemo.filter(path => /process\.env\b/.test(read(path)));
  expect(readers).toEqual(['src/main.ts']);
});

test('only what is opened from outside chooses deadlines: each part that waits gets them', () => {
  const choosers = [...importsBelow('playground'), ...imports]
    .filter(each => each.to === 'src/deadlines.ts' && !each.typeOnly)
    .map(each => each.from);
  expect(choosers.toSorted()).toEqual([
    'playground/playground.ts',
    'playground/system.ts',
    'playground/system/system.ts',
    'src/app.ts',
    'src/db/database.ts',
    'src/main.ts',
    'src/service/http/server.ts',
    'src/service/service.ts',
  ]);
  const waits = withDemo
    .filter(path => !['src/bot/text/timeout.ts', 'playground/fake-slack/to-app/http-line.ts'].includes(path))
    .flatMap(path => read(path).match(/(?:withTimeout|settlesWithin|AbortSignal\.timeout)\(.*/g) ?? []);
  expect(waits.length).toBeGreaterThan(15);
  expect(waits.filter(each => !/\b(?:deadlines?|stop)\b/.test(each))).toEqual([]);
});

test('one process works in another folder than ours: a relative path that it is given would lead elsewhere', () => {
  expect(withDemo.filter(path => /\bcwd\b/.test(read(path)))).toEqual(['playground/system/bot-process.ts']);
  const settings = {
    deadlines,
    folder: 'data/playground',
    logFile: '',
    settings: {},
    onState: () => undefined,
    onError: () => undefined,
  };
  expect(() => prepareBotProcess(settings)).toThrow(
    'The bot cannot work in data/playground: the path must be absolute.',
  );
});

test('there is no drawer for odds and ends, and every import of ours says .ts', () => {
  expect(withDemo.filter(path => /\/(utils?|helpers?|lib|types|core|common|misc)(\/|\.ts$)/.test(path))).toEqual([]);
  expect(ours.filter(each => !each.to.endsWith('.ts'))).toEqual([]);
});

test('the manifest is what the features make of it', () => {
  const manifest = parse(read('manifest.yml'));
  expect(manifest.features.slash_commands.map((each: { command: string }) => each.command)).toEqual(
    slashCommands(features, 'muster').map(name => `/${name}`),
  );
  expect(manifest.features.shortcuts.map((each: { callback_id: string }) => each.callback_id)).toEqual(
    menuEntries(features).map(each => each.id),
  );
  expect(manifest.oauth_config.scopes.bot).toEqual(scopes.map(each => each.name));
  expect(manifest.settings.event_subscriptions.bot_events).toEqual(events.map(each => each.name));
  for (const { name, description } of manifest.features.shortcuts) {
    expect(name.length).toBeLessThanOrEqual(24);
    expect(description.length).toBeLessThanOrEqual(150);
  }
});

/** Which scopes allow each Web API method the bot calls, in public and in private channels (docs/slack.md 7). */
const allowedBy: Readonly<Record<string, readonly string[]>> = {
  'auth.test': [],
  'bookmarks.add': ['bookmarks:write'],
  'bookmarks.list': ['bookmarks:read'],
  'chat.delete': ['chat:write'],
  'chat.getPermalink': [],
  'chat.postEphemeral': ['chat:write'],
  'chat.postMessage': ['chat:write', 'chat:write.public'],
  'chat.update': ['chat:write'],
  'conversations.archive': ['channels:manage', 'groups:write'],
  'conversations.create': ['channels:manage', 'groups:write'],
  'conversations.history': ['channels:history', 'groups:history'],
  'conversations.info': ['channels:read', 'groups:read'],
  'conversations.invite': ['channels:manage', 'groups:write'],
  'conversations.join': ['channels:join'],
  'conversations.members': ['channels:read', 'groups:read'],
  'conversations.open': ['im:write'],
  'conversations.replies': ['channels:history', 'groups:history'],
  'conversations.setTopic': ['channels:manage', 'groups:write'],
  'files.completeUploadExternal': ['files:write'],
  'files.getUploadURLExternal': ['files:write'],
  'files.info': ['files:read'],
  'pins.add': ['pins:write'],
  'pins.remove': ['pins:write'],
  'reactions.add': ['reactions:write'],
  'reactions.remove': ['reactions:write'],
  'usergroups.list': ['usergroups:read'],
  'users.conversations': ['channels:read', 'groups:read'],
  'users.info': ['users:read', 'users:read.email'],
  'users.list': ['users:read'],
  'views.open': [],
  'views.publish': [],
  'views.update': [],
};

test('the manifest asks for the scopes of what the bot calls and hears, and for no other', () => {
  const calls = sources
    .filter(path => path.startsWith('src/bot/'))
    .flatMap(path =>
      [...read(path).matchAll(/\b(?:web|quick|once|client)\.([a-z]+\.[A-Za-z]+)\(/g)].map(match => match[1]),
    );
  expect([...new Set(calls)].toSorted()).toEqual(Object.keys(allowedBy));
  const heard = ['commands', ...events.flatMap(event => event.needs)];
  const wanted = new Set([...Object.values(allowedBy).flat(), ...heard]);
  expect([...wanted].toSorted()).toEqual(scopes.map(each => each.name));
});

test('no two verbs, buttons, forms, shortcuts or intents answer to the same name', () => {
  expect(findClashes(allVerbs(features))).toEqual([]);
  const ids = [
    features.flatMap(each => each.buttons ?? []).map(each => each.id),
    features.flatMap(each => each.modals ?? []).map(each => each.id),
    allShortcuts(features).map(each => each.id),
    features.flatMap(each => each.intents ?? []).map(each => each.kind),
  ];
  for (const list of ids) expect(list).toEqual([...new Set(list)]);
});

/** What stands between the bracket at `open` and the one that closes it. */
function withinBrackets(source: string, open: number): string {
  let depth = 0;
  for (let at = open; at < source.length; at += 1) {
    if (source[at] === '(') depth += 1;
    if (source[at] === ')') depth -= 1;
    if (depth === 0) return source.slice(open + 1, at);
  }
  return source.slice(open + 1);
}

test('whatever the bot changes goes through the journal, which alone hands out a `call`', () => {
  const effects = new Map<string, string>();
  for (const [group, methods] of Object.entries<Record<string, { effect: string }>>({ ...rpc, ...http })) {
    for (const [name, { effect }] of Object.entries(methods)) effects.set(`${group}.${name}`, effect);
  }
  const exempt = [
    // The doctor's probe names an incident that never exists, so that only its refusal is left of it.
    'src/bot/doctor/api.ts',
    // Nobody asked for what follows a private room. It belongs to the round of the card, which is as durable as the journal.
    'src/bot/incident/room/private-room.ts',
  ];
  const changes = sources
    .filter(path => path.startsWith('src/bot/') && !exempt.includes(path))
    .flatMap(path => {
      const source = read(path);
      return [...source.matchAll(/([\w.]*)\bapi\.([A-Z]\w+\.\w+)\(/g)]
        .filter(match => effects.get(match[2] ?? '') !== 'read')
        .map(match => ({
          path,
          method: match[2],
          through: `${match[1]}api`,
          call: /\bcall,?\s*$/.test(withinBrackets(source, match.index + match[0].length - 1)),
        }));
    });
  expect(changes.length).toBeGreaterThan(15);
  expect(changes.filter(each => each.through !== 'api' || !each.call)).toEqual([]);
});

const operations = Object.entries({ ...rpc, ...http }).flatMap(([group, methods]) =>
  Object.keys(methods).map(name => `${group}.${name}`),
);

test('contract, client and OpenAPI have the same operations', () => {
  const client = createClient({ ...deadlines.api, transport: async () => ({ status: 200, headers: {}, body: '{}' }) });
  const callable = Object.entries(client)
    .filter(([, group]) => typeof group === 'object')
    .flatMap(([group, methods]) => Object.keys(methods).map(name => `${group}.${name}`));
  expect(callable.toSorted()).toEqual(operations.toSorted());

  const described: string[] = [];
  const openapi = JSON.parse(read('openapi.json'));
  for (const path of Object.values<Record<string, { operationId?: string }>>(openapi.paths)) {
    for (const operation of Object.values(path)) if (operation.operationId) described.push(operation.operationId);
  }
  // What our service answers and no client of ours calls: what the API leaves open, and the incoming webhook.
  const open = Object.entries({ Folders, Discovery, ...unversioned });
  const ours = [
    ...open.flatMap(([group, methods]) => Object.keys(methods).map(name => `${group}.${name}`)),
    'IncomingWebhooks.createIncident',
  ];
  expect(described.toSorted()).toEqual([...operations, ...ours].toSorted());
});

test('the service answers every operation', async () => {
  await using opened = await openService();
  const trusted = { headers: {}, signal: undefined };
  const call = (method: string, path: string, body: unknown) =>
    opened.service.handle({ ...trusted, method, path, body: JSON.stringify(body) });
  const unknown = await call('POST', `${rpcBase('grafana-irm-app')}/IncidentsService.NoSuchThing`, {});
  expect(unknown.status).toBe(404);
  for (const [service, methods] of Object.entries({ ...rpc, ...unversioned })) {
    for (const name of Object.keys(methods)) {
      const { status } = await call('POST', `${rpcBase('grafana-irm-app')}/${service}.${name}`, {});
      expect([200, 400], `${service}.${name}`).toContain(status);
    }
  }
  const short = JSON.parse((await call('POST', '/api/short-urls', { path: 'd/x' })).body);
  for (const [group, endpoints] of Object.entries<Record<string, Endpoint>>(http)) {
    for (const [name, { httpMethod, path }] of Object.entries(endpoints)) {
      const { status, body } = await call(httpMethod, path.replace(':uid', short.uid), {});
      expect(`${status} ${body}`, `${group}.${name}`).toMatch(/^(200|302|400)|Dashboard not found/);
    }
  }
});
