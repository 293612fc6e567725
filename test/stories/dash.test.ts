import { expect, test } from 'vitest';
import { renderMessage } from '../../playground/fake-slack/fake-slack.ts';
import { openDashboards } from '../support/dashboard-room.ts';
import { openFakeGrafana } from '../support/fake-grafana.ts';
import { notesOf } from '../support/incident-room.ts';
import { recover } from '../support/recover.ts';
import { openInstalledSlack } from '../support/workplace.ts';

const shortLink = /https:\/\/muster\.example\.com\/goto\/([\w-]+)\?orgId=1/;

test('a full address becomes a short link, pinned to the incident, posted and noted', async () => {
  const start = new Date('2026-11-20T14:00:00Z');
  let now = start;
  const clock = () => now;
  const slack = await openInstalledSlack(clock);
  const { place, bob, room, says, press, last, reads } = await openDashboards({ clock, slack });
  now = new Date('2026-11-20T14:05:30Z');
  const question = await says(
    '/dash link https://muster.example.com/d/nginx/whatever?orgId=1&var-controller=a%20b&viewPanel=4&from=now-5m&to=now see the 5xx <!channel>',
  );
  expect(question).toContain('Which time should the link to “NGINX Ingress controller” show? Nothing is posted yet.');
  expect(place.messages(bob, room.id).some(each => each.text.startsWith('Dashboard'))).toBe(false);
  await press(last(), 'Around the incident');
  const receipt = reads();
  expect(receipt).toContain('so it shows the same tomorrow.');

  const post = place.messages(bob, room.id).findLast(message => message.ephemeralTo === undefined);
  const shown = post ? renderMessage(slack, post) : '';
  expect(shown).toContain('NGINX Ingress controller');
  expect(shown).toContain('nginx');
  expect(shown).toContain('see the 5xx <!channel>');
  expect(shown).not.toContain('!!!');
  expect(shown).toContain('linked by @alice');
  expect(shown).toContain('Nov 20, 2026 1:45 PM–2:06 PM');
  const uid = shortLink.exec(post?.text ?? '')?.[1] ?? '';
  const { location } = await place.api.ShortUrls.goto({ uid });
  const from = new Date('2026-11-20T13:45:00Z').getTime();
  const to = new Date('2026-11-20T14:06:00Z').getTime();
  expect(location).toBe(
    `https://muster.example.com/d/nginx/nginx-ingress-controller?orgId=1&var-controller=a%20b&viewPanel=4&from=${from}&to=${to}`,
  );
  const [note, ...others] = await notesOf(place, '1');
  expect(others).toEqual([]);
  expect(note?.body).toBe(
    [
      `Dashboard “NGINX Ingress controller”: https://muster.example.com/goto/${uid}?orgId=1`,
      'Shows 2026-11-20 13:45–14:06 UTC',
      `Full path: /d/nginx/nginx-ingress-controller?orgId=1&var-controller=a%20b&viewPanel=4&from=${from}&to=${to}`,
      'Tags: nginx',
      'see the 5xx <!channel>',
      '',
      '— alice in Slack',
    ].join('\n'),
  );
  expect(note?.fieldValues).toMatchObject({ source: 'dashboard', addedBy: 'alice' });

  await says('/incident resolve fixed');
  now = new Date('2026-11-21T09:00:00Z');
  await place.api.IncidentsService.UpdateStatus({ incidentID: '1', status: 'resolved' });
  await says('/dash share nginx --window incident');
  const after = place.messages(bob, room.id).findLast(message => message.text.startsWith('Dashboard'));
  const again = await place.api.ShortUrls.goto({ uid: shortLink.exec(after?.text ?? '')?.[1] ?? '' });
  expect(again.location).toContain(`from=${from}`);
});

test.each([
  [429, '{"message":"slow down"}', 'Grafana takes it: it asks to wait.'],
  [500, '{"message":"boom"}', 'Grafana works again.'],
  [200, '<html>login</html>', 'Grafana answers.'],
])(
  'a Grafana that answers the shortening with %i %s for now: the link is kept, and made once',
  async (status, body, words) => {
    const grafana = await openFakeGrafana();
    const { place, alice, bob, room, says } = await openDashboards({ settings: grafana.settings });
    const headers = status === 429 ? { 'retry-after': '3600' } : undefined;
    grafana.fail({ when: /POST \/api\/short-urls/, answer: { status, body, ...(headers ? { headers } : {}) } });
    const line = `/dash link ${grafana.url}/d/nginx?from=1795176000000&to=1795179600000`;
    const read = await says(line);
    expect(read).toContain('Saved. I’ll link the dashboard “NGINX Ingress controller” to incident 1 as soon as');
    expect(read).toContain(words);
    expect(await says(line)).toContain('Saved already. I’ll link the dashboard');
    await recover(place, grafana);
    await place.quiet();
    expect(place.reads(alice, room.name).filter(each => each.includes('You linked the dashboard'))).toHaveLength(1);
    expect(place.messages(bob, room.id).filter(each => each.text.startsWith('Dashboard'))).toHaveLength(1);
    expect(await notesOf(place, '1')).toHaveLength(1);
  },
);
