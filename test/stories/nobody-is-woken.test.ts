import { expect, test } from 'vitest';
import { blocksOf } from '../../playground/fake-slack/block-kit/message-blocks.ts';
import type { Message } from '../../playground/fake-slack/fake-slack.ts';
import { allVerbs } from '../../src/bot/dispatch/feature/feature.ts';
import { features } from '../../src/bot/features.ts';
import { openOnDuty } from '../support/on-duty.ts';
import { openTaking } from '../support/pagers/taking.ts';

/** The buttons of a message. */
function buttonsOf(message: Message): readonly string[] {
  const rows = blocksOf(message).flatMap(
    block => (block.elements ?? []) as { type: string; text?: { text?: string } }[],
  );
  return rows.flatMap(each => (each.type === 'button' && each.text?.text ? [each.text.text] : []));
}

/** Names of the pager and the people, as a line or a question has them. */
const named = /\b(?:sre|bob|carol|dave|erin)\b/;

test('no line and no press wakes anybody whom neither the line nor the question names', async () => {
  const { heard, toSetting } = await openTaking();
  const room = await openOnDuty({ settings: { PAGERS: toSetting('sre') } });
  const { type, press, last, incident, wait, place, slack, bob, carol, dave, erin } = room;
  const dms = [bob, carol, dave, erin].map(person => ({ person, dm: slack.openDm(person).id }));
  const woken = () => [
    ...heard.map(({ body }) => `page ${JSON.parse(body).pager}`),
    ...dms.flatMap(({ person, dm }) => place.messages(person, dm).map(() => person.name)),
  ];
  await type('/incident status');
  // Other words for a verb run the same code; those of a call and a page are tried too.
  const lines = allVerbs(features).flatMap(({ noun, verb, aliases = [] }) =>
    [verb, ...(['call', 'oncall', 'page', 'web'].includes(verb) ? aliases : [])].flatMap(word => [
      `/${noun} ${word}`,
      `/muster ${word} the database is down, please come`,
    ]),
  );
  // Without its incident the channel would answer nothing more.
  const pressed = new Set(['Unlink']);
  const isQuiet = (what: string) => expect(woken(), what).toEqual([]);
  for (const line of lines) {
    const said = await type(line);
    isQuiet(line);
    const message = last();
    for (const label of buttonsOf(message).filter(each => !pressed.has(each) && !named.test(`${said} ${each}`))) {
      // A press before it may have replaced the message; a list has a button of the same name in each row.
      if (buttonsOf(message).filter(each => each === label).length !== 1) continue;
      pressed.add(label);
      await press(message, label);
      isQuiet(`${line} [${label}]`);
    }
    if ((await incident()).status === 'resolved') await type('/incident reopen');
    wait(1);
  }
  expect(pressed.size).toBeGreaterThan(20);
  await type('/incident page sre it burns');
  await type('/incident call @dave');
  expect(woken()).toEqual(['page sre', 'dave']);
});

test('a question that offers a call or a page says whom it wakes, and their local time', async () => {
  const { heard, toSetting } = await openTaking();
  const room = await openOnDuty({ settings: { PAGERS: toSetting('sre') } });
  const { type, act, alice, gus, home, asked, dave, reads, press, last } = room;
  expect(await type('/incident escalate @sre the pool is full')).toMatch(
    /reaches carol \(\d\d:\d\d\), dave \(\d\d:\d\d\)\.[\s\S]*\[\/incident call @sre/,
  );
  expect(await type('/incident escalate @dave it is down')).toMatch(/reaches dave \(\d\d:\d\d\)\./);
  expect(await type('/incident escalate sre the pool is full')).toMatch(
    /sre wakes[\s\S]*carol \(\d\d:\d\d\)[\s\S]*\[\/incident page sre/,
  );
  expect(await type('/incident escalate @dave it is down', gus)).not.toMatch(/\d\d:\d\d/);
  expect([...heard, ...asked(dave)]).toEqual([]);
  await act(() => alice.mention(home, 'call @dave the database is down'));
  expect(asked(dave)).toHaveLength(1);
  await act(() => alice.mention(home, 'page sre the database is full'));
  expect(reads()).toContain('sre wakes the person on duty there');
  expect(heard).toEqual([]);
  await press(last(), '/incident page sre the database is full');
  expect(heard).toHaveLength(1);
});
