import { expect, onTestFinished, test } from 'vitest';
import { readAlertmanager } from '../../../src/bot/alerts/read/alertmanager.ts';
import { type AlertBody, openAlertReceiver } from '../../support/alerts/alert-receiver.ts';
import { type Broken, lacksMonitoring, openMonitoring } from '../../support/alerts/programs.ts';

/*
 * The bodies in test/support/alerts/recorded are those that the installed programs send. `vitest -u` records them again.
 */

const first: Broken = { name: 'HighErrorRate', service: 'checkout', instance: 'a', severity: 'critical' };
const second: Broken = { ...first, instance: 'b' };

test.skipIf(lacksMonitoring)(
  'the recorded bodies are what Prometheus and Alertmanager send, and each is read as it is meant',
  async () => {
    const receiver = await openAlertReceiver();
    onTestFinished(() => receiver[Symbol.asyncDispose]());
    const monitoring = await openMonitoring({ url: receiver.url, token: 'of-the-recording' });
    onTestFinished(() => monitoring[Symbol.asyncDispose]());
    const { heard } = receiver;
    /** The next body that tells of so many alerts. */
    const next = async (firing: number, ended: number): Promise<AlertBody> => {
      const from = heard.length;
      const fits = ({ body }: (typeof heard)[number]) =>
        body.alerts.length === firing + ended &&
        body.alerts.filter(each => each.status === 'resolved').length === ended;
      await expect.poll(() => heard.slice(from).some(fits)).toBe(true);
      return heard.slice(from).find(fits)!.body;
    };
    const bodies: Record<string, AlertBody> = {};
    monitoring.breaks(first);
    bodies.firing = await next(1, 0);
    bodies.repeat = await next(1, 0);
    monitoring.breaks(second);
    bodies.grown = await next(2, 0);
    monitoring.mends(second);
    bodies.shrunk = await next(1, 1);
    await monitoring.killAlertmanager();
    await monitoring.startAlertmanager();
    bodies.restarted = await next(1, 0);
    monitoring.mends(first);
    bodies.resolved = await next(0, 1);
    expect(heard.map(each => each.headers.authorization)).toEqual(heard.map(() => 'Bearer of-the-recording'));

    for (const [name, body] of Object.entries(withStoryTime(bodies))) {
      const file = `../../support/alerts/recorded/${name}.json`;
      await expect(`${JSON.stringify(body, undefined, 2)}\n`).toMatchFileSnapshot(file);
    }
    const read = Object.entries(bodies).map(([name, body]) => {
      const { key, state, firing, resolved } = readAlertmanager(body);
      expect(key).toBe(bodies.firing?.groupKey);
      return [name, state, firing, resolved];
    });
    expect(read).toEqual([
      ['firing', 'firing', 1, 0],
      ['repeat', 'firing', 1, 0],
      ['grown', 'firing', 2, 0],
      ['shrunk', 'firing', 1, 1],
      ['restarted', 'firing', 1, 0],
      ['resolved', 'resolved', 0, 1],
    ]);
  },
);

test.skipIf(lacksMonitoring)(
  'of a service that is silenced nothing comes, and all once the silence ended',
  async () => {
    const receiver = await openAlertReceiver();
    onTestFinished(() => receiver[Symbol.asyncDispose]());
    const monitoring = await openMonitoring({ url: receiver.url, token: 'of-the-recording' });
    onTestFinished(() => monitoring[Symbol.asyncDispose]());
    const groups = () => [...new Set(receiver.heard.map(each => each.body.groupKey))];
    const silence = monitoring.silence('checkout');
    monitoring.breaks(first);
    await expect.poll(() => monitoring.count('suppressed')).toBe(1);
    monitoring.breaks({ ...first, service: 'search' });
    await expect.poll(groups).toEqual([expect.stringContaining('search')]);
    monitoring.expire(silence);
    await expect.poll(groups).toEqual([expect.stringContaining('search'), expect.stringContaining('checkout')]);
  },
);

/** The recorded bodies with the moments of a story, in the order of the true ones. */
function withStoryTime<T>(bodies: T): T {
  const json = JSON.stringify(bodies);
  const moments = [...new Set(json.match(/"20\d\d-[^"]*Z"/g))].toSorted();
  return JSON.parse(
    json.replaceAll(/"20\d\d-[^"]*Z"/g, moment => {
      const at = new Date(Date.parse('2026-03-14T02:07:00.168Z') + moments.indexOf(moment) * 150_000);
      return JSON.stringify(at.toISOString());
    }),
  );
}
