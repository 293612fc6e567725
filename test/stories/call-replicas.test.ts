import { expect, onTestFinished, test } from 'vitest';
import { makeDatabase } from '../support/databases/fresh.ts';
import { openOnDuty } from '../support/on-duty.ts';
import { openWorkplace } from '../support/workplace.ts';

test('of two replicas one calls each target of a chain, and answers at both are on one line', async () => {
  const database = await makeDatabase();
  onTestFinished(() => database[Symbol.asyncDispose]());
  const settings = { DATABASE_URL: database.url, CALL: 'critical:@sre>@sre-leads' };
  const first = await openOnDuty({ settings, flags: '--severity critical' });
  const { slack, place, asked, carol, dave, erin, wait, now, calls } = first;
  const second = await openWorkplace({ slack, clock: now, settings });
  const tick = async () => {
    for (let step = 0; step < 3; step += 1) {
      await Promise.all([place, second].map(each => each.muster.bot.journal.tick()));
      await Promise.all([place, second].map(each => each.quiet()));
    }
  };
  await tick();
  expect([carol, dave].map(each => asked(each).length)).toEqual([1, 1]);
  wait(5);
  await tick();
  expect([carol, dave, erin].map(each => asked(each).length)).toEqual([1, 1, 1]);
  await Promise.all(
    [carol, dave].map(async person => person.press(asked(person)[0] ?? expect.fail('not asked'), 'Coming in 5 min')),
  );
  await tick();
  await expect.poll(() => calls()).toEqual([expect.stringMatching(/✓ @carol in 5 min · ✓ @dave in 5 min → .*… @erin/)]);
});

test('a chain that ended, in two processes of which Slack fails one: the questions of each target are taken back', async () => {
  const database = await makeDatabase();
  onTestFinished(() => database[Symbol.asyncDispose]());
  const settings = { CALL: 'critical:@sre>@sre-leads', DATABASE_URL: database.url };
  const team = await openOnDuty({ settings, flags: '--severity critical' });
  const { type, asked, carol, dave, erin, wait, now, slack, place } = team;
  const second = await openWorkplace({ slack, clock: now, settings });
  const tick = async () => {
    await Promise.all([place, second].map(each => each.muster.bot.journal.tick()));
    await Promise.all([place, second].map(each => each.quiet()));
  };
  for (const _ of [1, 2, 3, 4, 5, 6]) {
    await tick();
    wait(3);
  }
  const questions = () =>
    [carol, dave, erin].flatMap(asked).filter(each => JSON.stringify(each).includes('"call.')).length;
  expect(questions()).toBe(3);
  slack.fail(
    'chat.update',
    { error: 'internal_error' },
    { times: 2, when: ({ channel }) => String(channel).startsWith('D') },
  );
  await type('/incident resolve fixed --now');
  for (let looks = 0; looks < 20 && questions() > 0; looks += 1) {
    wait(1);
    await tick();
  }
  expect(questions()).toBe(0);
});
