import { expect, test } from 'vitest';
import { openDashboards } from '../support/dashboard-room.ts';
import { openFakeGrafana } from '../support/fake-grafana.ts';
import { ownDatabase } from '../support/fresh-database.ts';
import { recover } from '../support/recover.ts';

test('a lost answer deletes once, and what the API cannot do now is done in order later', async () => {
  const grafana = await openFakeGrafana();
  const { says, last, press, reads, place, alice, api } = await openDashboards({
    settings: await ownDatabase(grafana.settings),
  });
  grafana.fail({ when: /DELETE/, times: 1, afterEffect: true, answer: 'hang up' });
  await says('/dash delete nginx');
  await press(last(), 'Delete it');
  await place.muster.bot.journal.wake();
  await place.quiet();
  expect(place.reads(alice, 'inc-1-checkout-answers-500').join('\n')).toContain(
    'You deleted the dashboard NGINX Ingress controller',
  );
  expect(grafana.requests.filter(line => line.startsWith('DELETE'))).toHaveLength(1);

  grafana.fail({ when: /PATCH/, answer: { status: 503, body: '{"message":"away"}' } });
  expect(await says('/dash restore nginx')).toContain('I’ll restore the dashboard nginx');
  expect(await says('/dash purge 4GFbkOsZk')).toContain('is not in the trash');
  await recover(place, grafana);
  await place.quiet();
  expect(reads()).toContain('You restored the dashboard');
  await api.Dashboards.get({ uid: 'nginx' });
});
