import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { features } from '../../../src/bot/features.ts';
import { toManifest, writeManifest } from '../../../src/bot/manifest.ts';
import { events, scopes } from '../../../src/bot/slack/permissions.ts';

const text = (most: number) => z.string().min(1).max(most);
const address = z.url({ protocol: /^https$/ });

/** Slack's schema of a manifest as far as ours goes: lengths, numbers, and no member it does not know (docs/slack.md 7). */
function schemaOf(mode: 'http' | 'socket') {
  const requests = mode === 'http' ? { request_url: address } : {};
  return z.strictObject({
    _metadata: z.strictObject({ major_version: z.literal(1), minor_version: z.int() }),
    display_information: z.strictObject({ name: text(35), description: text(140) }),
    features: z.strictObject({
      app_home: z.strictObject({
        home_tab_enabled: z.boolean(),
        messages_tab_enabled: z.boolean(),
        messages_tab_read_only_enabled: z.boolean(),
      }),
      bot_user: z.strictObject({ display_name: text(80), always_online: z.boolean() }),
      shortcuts: z
        .array(
          z.strictObject({
            name: text(24),
            type: z.enum(['global', 'message']),
            callback_id: text(255),
            description: text(150),
          }),
        )
        .min(1)
        .max(10),
      slash_commands: z
        .array(
          z.strictObject({
            command: z.string().regex(/^\/[a-z0-9_-]{1,31}$/),
            ...(mode === 'http' ? { url: address } : {}),
            description: text(2000),
            usage_hint: text(1000),
            should_escape: z.literal(true),
          }),
        )
        .min(1)
        .max(50),
    }),
    oauth_config: z.strictObject({
      scopes: z.strictObject({ bot: z.array(z.string().regex(/^[a-z_]+(:[a-z._]+)?$/)) }),
    }),
    settings: z.strictObject({
      event_subscriptions: z.strictObject({ ...requests, bot_events: z.array(z.string()).min(1) }),
      interactivity: z.strictObject({ is_enabled: z.literal(true), ...requests }),
      org_deploy_enabled: z.boolean(),
      socket_mode_enabled: z.literal(mode === 'socket'),
      token_rotation_enabled: z.literal(false),
    }),
  });
}

test.each([
  ['socket', ''],
  ['http', 'https://muster.example.com'],
] as const)('for %s the manifest keeps to Slack’s rules', (mode, publicUrl) => {
  const manifest = toManifest(features, { commandRoot: 'ops-bot', publicUrl });
  expect(schemaOf(mode).safeParse(manifest).error).toBeUndefined();
  expect(JSON.stringify(manifest).includes('/slack/events')).toBe(mode === 'http');
  expect(JSON.stringify(manifest)).toContain('"/ops-bot"');
});

test('manifest.yml is the one for Socket Mode; `npm run manifest` renews it', async () => {
  const committed = parse(await readFile(new URL('../../../manifest.yml', import.meta.url), 'utf8'));
  expect(committed).toEqual(toManifest(features, { commandRoot: 'muster', publicUrl: '' }));
});

test('the manifest of the base tier asks for what incidents cannot run without, and for nothing else', () => {
  const manifest = toManifest(features, { commandRoot: 'muster', publicUrl: '', tier: 'base' });
  expect(schemaOf('socket').safeParse(manifest).error).toBeUndefined();
  expect(manifest).toMatchObject({
    oauth_config: {
      scopes: {
        bot: ['app_mentions:read', 'channels:manage', 'channels:read', 'chat:write', 'commands', 'users:read'],
      },
    },
    settings: { event_subscriptions: { bot_events: expect.arrayContaining(['app_mention']) } },
  });
});

test.each(['base', 'full'] as const)('each permission of the tier %s stands beside its reason', tier => {
  const written = writeManifest(features, { commandRoot: 'muster', publicUrl: '', tier });
  expect(parse(written)).toEqual(toManifest(features, { commandRoot: 'muster', publicUrl: '', tier }));
  for (const each of [...scopes, ...events]) {
    const isThere = tier === 'full' || each.tier === 'base';
    expect(written.includes(`- ${each.name} # ${each.use}\n`)).toBe(isThere);
  }
});

test('an event asks for no more than its scopes, and the base asks for no scope of the full tier', () => {
  for (const event of events) {
    const needed = event.needs.map(name => scopes.find(each => each.name === name));
    expect(needed).not.toContain(undefined);
    if (event.tier === 'base') expect(needed.map(each => each?.tier)).not.toContain('full');
  }
  for (const list of [scopes, events]) {
    const names = list.map(each => each.name);
    expect(names).toEqual([...new Set(names)]);
  }
});
