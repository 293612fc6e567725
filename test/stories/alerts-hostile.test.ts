import { expect, test } from 'vitest';
import type { Message } from '../../playground/fake-slack/fake-slack.ts';
import { renderView } from '../../playground/fake-slack/fake-slack.ts';
import { openAlerted } from '../support/alerts/watchdog.ts';

/* An alert whose every member is written to mislead: people read plain words, and nobody is notified. */

/** What mentions, formats, links or turns the reading direction. U1 stands for carol, who takes no part. */
const bait = (carol: string) =>
  `<!channel> <@${carol}> <!subteam^S1> *bold* _x_ ~y~ \`c\` <javascript:alert(1)|go> a|b>c [x](javascript:alert(1)) \u202e\u2067`;

/** A body in which each member is bait, and as long as a sender may make it. */
function toHostile(carol: string, index: number, status: 'firing' | 'resolved' = 'firing') {
  const text = `${index} ${bait(carol)}`;
  const long = `${text} ${'&<>*_'.repeat(400)}`;
  const labels = { alertname: text, service: text, severity: text, instance: long, [text]: long };
  const annotations = {
    ...{ summary: long, description: long, title: long, [text]: long },
    ...{
      runbook_url: 'javascript:alert(1)',
      dashboard_url: `https://x.example/<!channel>|${long}`,
      __panelURL__: long,
    },
  };
  const alert = {
    ...{ status, labels, annotations, fingerprint: long, generatorURL: 'javascript:alert(2)', silenceURL: long },
    ...{ startsAt: '2026-11-20T12:15:00Z', endsAt: status === 'resolved' ? '2026-11-20T12:15:30Z' : text },
    ...{ dashboardURL: 'javascript:alert(3)', panelURL: 'https://x.example/|<!channel>', valueString: long },
    values: { [text]: long },
  };
  return {
    ...{
      version: '4',
      groupKey: long,
      status,
      receiver: text,
      title: long,
      message: long,
      externalURL: 'javascript:1',
    },
    ...{ groupLabels: labels, commonLabels: labels, commonAnnotations: annotations, truncatedAlerts: 0 },
    alerts: [alert, { ...alert, fingerprint: `${text}2`, labels: { ...labels, instance: `${text} 2` } }],
  };
}

/** All texts of Slack's own format in the arguments of a call. */
function mrkdwnOf(value: unknown, key = ''): readonly string[] {
  if (typeof value === 'string') {
    if (key === 'text') return [value];
    return key === 'blocks' || key === 'view' || key === 'attachments' ? mrkdwnOf(JSON.parse(value)) : [];
  }
  if (typeof value !== 'object' || value === null) return [];
  if ('type' in value && value.type === 'plain_text') return [];
  return Object.entries(value).flatMap(([name, part]) => mrkdwnOf(part, Array.isArray(value) ? key : name));
}

async function openHostile(settings: Readonly<Record<string, string>> = {}) {
  const team = await openAlerted({ settings });
  const { place, slack, carol, bob, send, channel, rooms } = team;
  const hear = async (index: number, status?: 'resolved') => {
    const answer = await send(toHostile(carol.id, index, status));
    expect(answer.status, await answer.text()).toBe(200);
  };
  const last = (label: string): Message => {
    const found = team
      .messages()
      .filter(each => JSON.stringify(each).includes(label))
      .at(-1);
    return found ?? expect.fail(`Nothing offers ${label}`);
  };
  const press = async (label: string, message = last(label)) => {
    await bob.press(message, label);
    await place.quiet();
  };
  return {
    ...{ ...team, hear, press },
    /** All that bob reads in the channel and in the rooms of incidents. */
    everything: () => [channel, ...rooms()].flatMap(each => place.reads(bob, each.id)),
    /** Nothing that Slack got notifies or leads astray, and Slack took all of it. */
    expectHarmless: () => {
      const writes = slack.calls.filter(each => /^(chat|views|conversations|pins|bookmarks)\./.test(each.method));
      expect(writes.length).toBeGreaterThan(0);
      for (const { method, args, response } of writes) {
        expect(JSON.stringify(response ?? {}), method).not.toMatch(/invalid|too_long|too_many/);
        for (const text of mrkdwnOf(args)) {
          expect(text, method).not.toMatch(/<!(?:channel|here|everyone|subteam)/);
          expect(text, method).not.toContain(`<@${carol.id}`);
          expect(text, method).not.toMatch(/<\s*javascript:/i);
          expect(text, method).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
        }
        expect(JSON.stringify(args), method).not.toMatch(/"(?:url|image_url|title_url)":\s*"javascript:/i);
      }
      expect(place.troubles).toEqual([]);
    },
  };
}

/** The signs of the bait stand as they were written. */
function expectPlain(words: string): void {
  expect(words).toContain('<!channel>');
  expect(words).toContain('*bold* _x_');
  expect(words).not.toContain('!!!');
  expect(words).not.toContain('@carol');
}

test('an alert that holds mentions, marks and links in every member is plain words wherever it is read', async () => {
  const { hear, press, place, bob, carol, channel, rooms, reads, everything, expectHarmless, slack } =
    await openHostile();
  await hear(1);
  await place.quiet();
  expectPlain(reads(bob)[0] ?? '');
  await press('Declare');
  expectPlain(renderView(slack, bob.view ?? expect.fail('There is no form')));
  await bob.submit({});
  await place.quiet();
  const [room] = rooms();
  if (!room) throw new Error('There is no room');
  await hear(1);
  await hear(1, 'resolved');
  await place.quiet();
  for (const command of ['/incident alerts', '/incident timeline', '/incident status', '/muster doctor']) {
    await bob.command(room, command);
    await place.quiet();
  }
  const { activityItems } = await place.api.ActivityService.QueryActivity({ query: { incidentID: '1' } });
  expect(activityItems.some(each => each.body.includes('from prometheus'))).toBe(true);
  const all = everything();
  expect(all.length).toBeGreaterThan(5);
  expectPlain(all.join('\n'));
  expect(all.filter(each => each.includes('!!!'))).toEqual([]);
  expect(place.reads(carol, channel.id).join()).not.toContain('@carol');
  expectHarmless();
});

test('200 such groups are one offer, and one incident that says the same', async () => {
  const { hear, press, place, bob, rooms, reads, everything, expectHarmless } = await openHostile();
  for (let index = 0; index < 200; index += 1) await hear(index);
  await place.quiet();
  expect(reads(bob)).toHaveLength(1);
  expect(reads(bob)[0]).toContain('200 alerts of 200 services');
  expectPlain(reads(bob)[0] ?? '');
  await press('Declare');
  await bob.submit({});
  await place.quiet();
  const [room] = rooms();
  if (!room) throw new Error('There is no room');
  await bob.command(room, '/incident alerts');
  for (let index = 0; index < 200; index += 1) await hear(index, 'resolved');
  await place.quiet();
  expect(rooms()).toHaveLength(1);
  expectPlain(everything().join('\n'));
  expectHarmless();
});

test('a storm of one service is called by its name, which is plain words too', async () => {
  const { send, toBody, press, place, bob, carol, rooms, reads, everything, expectHarmless } = await openHostile();
  const labels = { service: bait(carol.id) };
  for (const group of 'ABCDEFG') await send(toBody({ group, labels }));
  await place.quiet();
  expect(reads(bob)).toHaveLength(1);
  expectPlain(reads(bob)[0] ?? '');
  await press('Declare');
  await bob.submit({});
  await place.quiet();
  expect(rooms()).toHaveLength(1);
  for (const each of everything()) expect(each).not.toMatch(/!!!|@carol/);
  expectHarmless();
});
