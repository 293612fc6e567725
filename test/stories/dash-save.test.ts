import { expect, test } from 'vitest';
import { openDashboards } from '../support/dashboard-room.ts';
import { openFakeGrafana } from '../support/fake-grafana.ts';
import { ownDatabase } from '../support/fresh-database.ts';
import { recover } from '../support/recover.ts';

test('a save whose answer was lost is made once; one that waited says later what stands in its way', async () => {
  const grafana = await openFakeGrafana();
  const { paste, place, api, alice, last, press, reads, home } = await openDashboards({
    settings: await ownDatabase(grafana.settings),
  });
  grafana.fail({ when: /POST \/api\/dashboards\/db/, times: 1, afterEffect: true, answer: 'hang up' });
  await paste({ title: 'Once', panels: [1.0] });
  await place.muster.bot.journal.wake();
  await place.quiet();
  expect(place.reads(alice, home.id).join('\n')).toMatch(/You saved the dashboard Once .*, as version 1/);

  grafana.fail({ when: /POST \/api\/dashboards\/db/, answer: { status: 503, body: '{"message":"away"}' } });
  expect(await paste({ uid: 'nginx', title: 'Late' })).toContain('Saved. I’ll save the dashboard “Late” as soon as');
  await recover(place, grafana);
  await place.quiet();
  expect(reads()).toContain('The uid nginx is taken by the dashboard “NGINX Ingress controller”');
  await press(last(), 'Overwrite it');
  expect((await api.Dashboards.get({ uid: 'nginx' })).dashboard.title).toBe('Late');
});
