import { expect, test } from 'vitest';
import { openDashboardVerbs } from '../../../../support/dashboard-room.ts';

test('JSON between lines of ``` is saved as it was typed', async () => {
  const { save, alice, home, api } = await openDashboardVerbs();
  const json = '{"title":"Typed","uid":"typed","note":"a < b & c > d","link":"https://x.example/a?b=1&c=2"}';
  expect(await save(alice.say(home, `look:\n\`\`\`json\n${json}\n\`\`\`\nall right?`))).toContain(
    'saved the dashboard Typed',
  );
  expect((await api.Dashboards.get({ uid: 'typed' })).dashboard).toMatchObject(JSON.parse(json));
  expect(await save(alice.say(home, '{"title":"Bare","uid":"bare"}'))).toContain('saved the dashboard Bare');
});

test('a file that lives elsewhere is not fetched, and the token goes nowhere else', async () => {
  const { save, alice, home, slack } = await openDashboardVerbs();
  const url = 'http://127.0.0.1:1/files-pri/T1-F1/a.json';
  expect(await save(alice.upload(home, { name: 'a.json', content: '{"title":"x"}', url }))).toContain(
    'That file is not kept by Slack',
  );
  slack.fail('url_private', { status: 302, body: '' });
  expect(await save(alice.upload(home, { name: 'b.json', content: '{"title":"x"}' }))).toContain(
    'Slack did not give me that file',
  );
});

test('a file of a channel without Muster', async () => {
  const { save, alice, general, place } = await openDashboardVerbs();
  await save(alice.upload(general, { name: 'a.json', content: '{"title":"x"}' }));
  expect(place.lastRead(alice, general.id)).toContain('I do not see that file: I am not in its channel');
});
