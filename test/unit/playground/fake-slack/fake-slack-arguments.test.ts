import { expect, test } from 'vitest';
import { openFakeSlack } from '../../../../playground/fake-slack/fake-slack.ts';
import { documentedArguments } from '../../../../playground/fake-slack/web-api/documented-arguments.ts';
import { methods } from '../../../../playground/fake-slack/web-api/registry.ts';

test('each method has its documented arguments', () => {
  expect(Object.keys(documentedArguments).toSorted()).toEqual(Object.keys(methods).toSorted());
  for (const names of Object.values(documentedArguments)) expect(new Set(names).size).toBe(names.length);
});

test.each(Object.entries(documentedArguments))(
  '%s refuses an argument that Slack does not document',
  async (method, names) => {
    await using slack = await openFakeSlack();
    const tokens = { 'apps.connections.open': slack.appToken, 'apps.manifest.export': slack.configToken };
    const token = Reflect.get(tokens, method) ?? slack.botToken;
    const ask = async (argument: string) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/x-www-form-urlencoded' };
      const body = new URLSearchParams({ [argument]: '' }).toString();
      return JSON.stringify(await (await fetch(`${slack.apiUrl}${method}`, { method: 'POST', headers, body })).json());
    };
    for (const strange of ['unfurl_linkz', 'Channel', 'client_msg_id'])
      expect(await ask(strange)).toContain(`undocumented argument: ${strange} `);
    for (const known of names) expect(await ask(known)).not.toContain('undocumented');
  },
);

test('words for one person do not unfold links by themselves, so Slack documents no argument for it', async () => {
  expect(documentedArguments['chat.postMessage']).toEqual(expect.arrayContaining(['unfurl_links', 'unfurl_media']));
  for (const name of ['unfurl_links', 'unfurl_media'])
    expect(documentedArguments['chat.postEphemeral']).not.toContain(name);
});
