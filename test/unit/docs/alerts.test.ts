import { readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { readAlert } from '../../../src/bot/alerts/read/read.ts';
import { alertSourceMembers } from '../../../src/config/alert-sources.ts';
import { readAlertConfig } from '../../../src/config/config.ts';
import { settingNames } from '../../../src/config/settings.ts';
import { alertSnippets, curlBody, documentedAlerts } from '../../support/docs/alerts.ts';
import { root } from '../../support/docs/files.ts';
import { openFolder } from '../../support/folder.ts';

const named = [...documentedAlerts.matchAll(/\bALERTS(?:_[A-Z]+)?\b/g)].map(match => match[0]);

test('docs/alerts.md tells of every setting of alerts, and of no other', () => {
  expect([...new Set(named)].toSorted()).toEqual(settingNames.filter(name => name.startsWith('ALERTS')).toSorted());
});

test('docs/alerts.md names each member of a source, and no other', () => {
  const [, members = ''] = /^\| `ALERTS_SOURCES` \| .*?: (.*) \|$/m.exec(documentedAlerts) ?? [];
  const told = [...members.matchAll(/`(\w+)`/g)].map(match => match[1] ?? '');
  expect(told.toSorted()).toEqual(Object.keys(alertSourceMembers.shape).toSorted());
});

test('docs/alerts.md tells of each ready file in deploy/alerts', () => {
  const tools = readdirSync(join(root, 'deploy/alerts'))
    .filter(name => name.endsWith('.json') && name !== 'any.json')
    .map(name => name.replace(/\.json$/, '').replace('-', ' '));
  expect(tools.length).toBeGreaterThan(4);
  expect(tools.filter(tool => !documentedAlerts.toLowerCase().includes(tool))).toEqual([]);
});

/** The documented shape of a webhook in a contact point: Grafana, Provision alerting resources with files, Webhook. */
const ContactPoints = z.strictObject({
  apiVersion: z.literal(1),
  contactPoints: z.tuple([
    z.strictObject({
      orgId: z.number().optional(),
      name: z.string(),
      receivers: z.tuple([
        z.strictObject({
          uid: z.string().regex(/^[\w-]{1,40}$/),
          type: z.literal('webhook'),
          settings: z.strictObject({
            url: z.url(),
            httpMethod: z.enum(['POST', 'PUT']).optional(),
            username: z.string().optional(),
            password: z.string().optional(),
            authorization_scheme: z.string().optional(),
            authorization_credentials: z.string().optional(),
            maxAlerts: z.string().optional(),
          }),
          disableResolveMessage: z.boolean().optional(),
        }),
      ]),
    }),
  ]),
});

test('the contact point of docs/alerts.md is as Grafana documents it, with the token of its source', () => {
  const { contactPoints } = ContactPoints.parse(parse(alertSnippets.grafana));
  const { settings } = contactPoints[0].receivers[0];
  expect(settings).toMatchObject({ authorization_scheme: 'Bearer' });
  const { alerts: sources } = readAlertConfig({ ALERTS: alertSnippets.sources, ANNOUNCE_CHANNEL: 'C1' });
  expect(sources.find(each => each.name === 'grafana')?.tokens).toEqual([settings.authorization_credentials]);
  expect(new URL(settings.url).pathname).toBe('/hooks/alerts/grafana');
});

test('the file of docs/alerts.md reads the body that its curl line sends, and the end of the same', async () => {
  const file = join(await openFolder(), 'alert-sources.json');
  await writeFile(file, alertSnippets.file);
  const { alerts } = readAlertConfig({ ALERTS: alertSnippets.shell, ALERTS_SOURCES: file, ANNOUNCE_CHANNEL: 'C1' });
  const [source] = alerts;
  if (!source) throw new Error('There is no source.');
  expect(source.name).toBe('shell');
  const begun = readAlert(source.mapping, curlBody);
  expect(begun).toMatchObject({ key: 'backup', title: 'The backup failed', state: 'firing', severity: 'major' });
  const [, state = ''] = /Send that body with `"state": "(\w+)"`, and the alert ends/.exec(documentedAlerts) ?? [];
  const ended = readAlert(source.mapping, { ...curlBody, state });
  expect(ended).toMatchObject({ key: begun.key, state: 'resolved' });
});

test('the tokens of docs/alerts.md that are changed are two of one source', () => {
  const [, pairs = ''] = /`ALERTS=(prometheus=OLD,prometheus=NEW)`/.exec(documentedAlerts) ?? [];
  const [older, newer] = ['o'.repeat(20), 'n'.repeat(20)];
  const given = pairs.replace('OLD', older).replace('NEW', newer);
  const { alerts: sources } = readAlertConfig({ ALERTS: given, ANNOUNCE_CHANNEL: 'C1' });
  expect(sources).toMatchObject([{ name: 'prometheus', tokens: [older, newer] }]);
});
