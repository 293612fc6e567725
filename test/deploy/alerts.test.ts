import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { createAlertDoor } from '../../src/bot/alerts/door.ts';
import { readAlert } from '../../src/bot/alerts/read/read.ts';
import { readAlertConfig } from '../../src/config/config.ts';
import { serveHttp } from '../../src/service/http/server.ts';
import { patient } from '../support/deadlines.ts';
import { lacks, run } from '../support/deploy/tool.ts';
import { alertSnippets, curlBody } from '../support/docs/alerts.ts';
import { openFolder } from '../support/folder.ts';
import { typeLine } from '../support/user-shell.ts';

/** A route that names the receiver, as each configuration has one. */
const route = 'route: { receiver: muster, group_by: [alertname] }';

test.skipIf(lacks('amtool'))('amtool takes the receiver of docs/alerts.md', async () => {
  const folder = await openFolder();
  await writeFile(join(folder, 'alertmanager.yml'), `${route}\n${alertSnippets.alertmanager}`);
  expect(run('amtool', ['check-config', 'alertmanager.yml'], folder)).toMatchObject({
    code: 0,
    text: expect.stringContaining('1 receivers'),
  });
  // It would refuse a member that it does not know.
  await writeFile(join(folder, 'wrong.yml'), `${route}\n${alertSnippets.alertmanager.replace('credentials', 'token')}`);
  expect(run('amtool', ['check-config', 'wrong.yml'], folder)).toMatchObject({ code: 1 });
});

test('the receiver of docs/alerts.md has the token and the address of its source', () => {
  const [webhook] = parse(alertSnippets.alertmanager).receivers[0].webhook_configs;
  const { alerts: sources } = readAlertConfig({ ALERTS: alertSnippets.sources, ANNOUNCE_CHANNEL: 'C1' });
  const { tokens } = sources.find(each => each.name === 'prometheus') ?? { tokens: [] };
  expect(tokens).toEqual([webhook.http_config.authorization.credentials]);
  expect(new URL(webhook.url).pathname).toBe('/hooks/alerts/prometheus');
});

test.skipIf(lacks('curl'))(
  'the curl line of docs/alerts.md is taken by the door, and refused with another token',
  async () => {
    const folder = await openFolder();
    await writeFile(join(folder, 'alert-sources.json'), alertSnippets.file);
    const settings = { ALERTS: alertSnippets.shell, ALERTS_SOURCES: join(folder, 'alert-sources.json') };
    const { alerts: sources } = readAlertConfig({ ...settings, ANNOUNCE_CHANNEL: 'C1' });
    const heard: unknown[] = [];
    const log = pino({ level: 'silent' });
    const deadlines = patient();
    const listener = createAlertDoor({
      ...{
        sources,
        read: (source, body) => readAlert(source.mapping, body),
        hold: (_source, _body, read) => read(),
        observe: () => {},
        deadlines,
        clock: () => new Date(),
        log,
      },
      hear: async (source, group) => {
        heard.push([source.name, group.key, group.title, group.state, group.severity]);
        return 'stored';
      },
    });
    const server = await serveHttp({ listener, port: 0, deadlines, log });
    onTestFinished(() => server[Symbol.asyncDispose]());
    const line = alertSnippets.curl.replace('https://muster.example.com', `http://127.0.0.1:${server.port}`);
    expect(await typeLine(line, folder).ended).toMatchObject({ code: 0, stdout: '{}' });
    expect(heard).toEqual([['shell', ...['key', 'title', 'state', 'severity'].map(name => curlBody[name])]]);
    const refused = await typeLine(line.replace('Bearer ', 'Bearer NOT-'), folder).ended;
    expect(refused.code).not.toBe(0);
    expect(refused.stdout).toContain('Authorization: Bearer');
    expect(heard).toHaveLength(1);
  },
);
