import { describe, expect, test } from 'vitest';
import { blocksOf } from '../../src/fake-slack/block-kit/message-blocks.ts';
import { renderMessage } from '../../src/fake-slack/fake-slack.ts';
import { openIncident } from '../support/incident-room.ts';
import { openOutage } from '../support/outage-room.ts';

/** The room as wendy, who only looks on, finds it: the kinds of blocks of its last message, and its text. */
async function openRoom() {
  const opened = await openIncident();
  const { place, home, wait, type } = opened;
  const wendy = opened.slack.person('wendy');
  const newest = () => place.messages(wendy, home.id).at(-1);
  return {
    ...opened,
    wendy,
    kinds: () => blocksOf(newest() ?? { blocks: [], attachments: [] }).map(block => block.type),
    later: async (line: string, person = opened.alice) => {
      wait(2);
      return await type(line, person);
    },
  };
}

const matters: readonly (readonly [what: string, lines: readonly string[], seen: string])[] = [
  ['an update', ['/incident update we roll back'], '📣 Update – @alice\n> we roll back'],
  [
    'an update on three lines',
    ['/incident update line one\nline two\n- a'],
    '📣 Update – @alice\n> line one\n> line two\n> - a',
  ],
  [
    'an update with a promise',
    ['/incident update we look --next 30m'],
    '📣 Update · next by 12:47 PM – @alice\n> we look',
  ],
  [
    'an update of a severe incident',
    ['/incident severity major', '/incident update we look --next 23:59 UTC'],
    '📣 Update · 🟠 major · next by 11:59 PM – @alice\n> we look',
  ],
  [
    'an update that changes the severity',
    ['/incident severity minor', '/incident update it spreads --severity critical'],
    '📣 Update · 🔴 critical (was minor) – @alice\n> it spreads',
  ],
  ['a severity', ['/incident severity major'], '🟠 Severity raised: pending → major – @alice'],
  [
    'a lower severity',
    ['/incident severity critical', '/incident severity minor'],
    '🟡 Severity lowered: critical → minor – @alice',
  ],
  [
    'a resolution',
    ['/incident resolve --now it was\nthe pool'],
    '✅ Resolved after 2 min – @alice\n> it was\n> the pool',
  ],
  ['a reopening', ['/incident resolve --now', '/incident reopen it is back'], '🔁 Reopened – @alice\n> it is back'],
];

test.each(matters)('%s is a message of its own, with a headline, in normal size', async (_what, lines, text) => {
  const { later, place, slack, wendy, home } = await openRoom();
  for (const line of lines) await later(line);
  const message = place.messages(wendy, home.id).findLast(each => renderMessage(slack, each) === text);
  expect(message, place.reads(wendy, home.id).join('\n---\n')).toBeDefined();
  expect(blocksOf(message ?? { blocks: [], attachments: [] }).map(block => block.type)).toEqual(['section']);
  expect(JSON.stringify(message?.blocks)).toMatch(/"text":"\S+ \*[^*]+\* – /u);
});

const small = [
  '/task add Call the vendor',
  '/note the pool was shrunk',
  '/role assign @bob investigator',
  '/incident title Checkout is down',
  '/incident label checkout',
];

test.each(small)('“%s” stays small print', async line => {
  const { later, kinds } = await openRoom();
  await later(line);
  expect(kinds()).toEqual(['context']);
});

describe('an update that changes the severity', () => {
  test('is one form, one message and one Undo', async () => {
    const { press, card, bob, submit, publicLines, incident, items, last, bodies } = await openIncident();
    await press(card(), 'Update', bob);
    expect(bob.view?.values.severity?.severity?.selected_option).toMatchObject({ value: 'pending' });
    await submit({ happened: 'Orders fail', doing: 'Rolling back', severity: 'major', next: '30' }, bob);
    expect((await incident()).severity).toBe('major');
    expect(publicLines()).toEqual([
      '📣 Update · 🟠 major (was pending) · next by 12:45 PM – @bob\n> Orders fail.\n> Rolling back',
    ]);
    expect(await items('incidentSeverityChanged')).toHaveLength(1);
    await press(last(bob), 'Undo', bob);
    expect((await incident()).severity).toBe('pending');
    expect(await bodies()).toEqual([]);
    expect(publicLines()).toHaveLength(1);
    expect(publicLines()[0]).toContain('took this back');
  });

  test('sent as it opened leaves the severity as it is', async () => {
    const { press, card, submit, type, items } = await openIncident();
    await type('/incident severity minor');
    await press(card(), 'Update');
    await type('/incident severity critical');
    await submit({ happened: 'Orders fail' });
    expect((await items('incidentSeverityChanged')).map(item => item.body)).toEqual([
      'Severity changed to minor',
      'Severity changed to critical',
    ]);
  });

  test('is not taken back once somebody set the severity again', async () => {
    const { press, type, bob, incident, bodies, last } = await openIncident();
    await type('/incident update it spreads --severity major');
    const posted = last();
    await type('/incident severity critical', bob);
    expect(await press(posted, 'Undo')).toContain('I did not undo that: somebody has changed it since, to critical');
    expect((await incident()).severity).toBe('critical');
    expect(await bodies()).toHaveLength(1);
  });

  test('refuses a severity that there is not, and loses no word', async () => {
    const { type, bodies, incident } = await openIncident();
    expect(await type('/incident update it spreads --severity sevre')).toContain('There is no severity “sevre”');
    expect(await bodies()).toEqual([]);
    expect((await incident()).severity).toBe('pending');
  });

  test('is carried out once when the API comes back', async () => {
    const { place, alice, type, room, goAway, comeBack, timeline } = await openOutage({});
    await type('/incident declare Checkout answers 500 --now');
    const home = room().name;
    goAway();
    await type('/incident update it spreads --severity major', alice, home);
    await comeBack();
    const items = await timeline();
    expect(items.filter(item => item.activityKind === 'incidentSeverityChanged')).toHaveLength(1);
    expect(items.filter(item => item.activityKind === 'userNote').map(item => item.body)).toEqual([
      '📣 it spreads\n\n— alice in Slack',
    ]);
    expect(place.reads(alice, home).filter(text => text.includes('🟠 major (was pending)'))).toHaveLength(1);
  });
});
