import { expect, onTestFinished, test } from 'vitest';
import { type Fault, openFakePagerDuty, routingKey } from '../../support/pagers/pagerduty.ts';
import { openTaking } from '../../support/pagers/taking.ts';
import { verifyIndependently } from '../../support/pagers/verify.ts';
import { outcomeOf } from '../../support/program.ts';

async function send(PAGERS: string, name?: string) {
  const said = await outcomeOf({ PAGERS }, 'pager', 'test', ...(name === undefined ? [] : [name]));
  expect(Object.values(said).join('')).not.toContain(routingKey);
  return said;
}

async function openDuty(fault: Fault = 'ok') {
  const duty = await openFakePagerDuty();
  onTestFinished(() => duty[Symbol.asyncDispose]());
  duty.fail(fault);
  return duty;
}

const setting = `sre=pagerduty:${routingKey}`;
const at = (duty: { readonly url: string }) => `${setting}@${duty.url}`;

test('a test page is taken, and closed at once', async () => {
  const duty = await openDuty();
  const { out, note, refused } = await send(at(duty));
  expect(refused).toBe('');
  expect(out).toContain('The pager sre took the page');
  expect(note).toContain('is over');
  expect(duty.stateOf(duty.woken[0] ?? '')).toBe('resolved');
});

test('a pager of the team’s own gets it signed', async () => {
  const { heard, toSetting } = await openTaking();
  const PAGERS = `${setting},${toSetting('db')}`;
  expect((await send(PAGERS, 'db')).refused).toBe('');
  expect(heard.map(each => JSON.parse(each.body).event)).toEqual(['page', 'over']);
  const secret = PAGERS.split('|')[1] ?? '';
  for (const { body, signature } of heard) expect(verifyIndependently(body, signature, secret)).toBe(true);
});

test.each<readonly [fault: Fault, why: string]>([
  ['error', 'failed (status 500)'],
  ['throttle', 'asks to wait'],
  ['not found', 'refused it (status 404)'],
  ['cut', 'closed the connection'],
])('a pager that answers with “%s” is told with its reason', async (fault, why) => {
  const duty = await openDuty(fault);
  const { out, refused } = await send(at(duty), 'sre');
  expect(out).toBe('');
  expect(refused).toContain('The page did not reach sre. The reason:');
  expect(refused).toContain(why);
});

test.each([
  ['', undefined, 'No pager is set'],
  [`${setting},db=pagerduty:${routingKey}`, undefined, 'PAGERS names several: sre, db'],
  [setting, 'night', 'PAGERS names no pager night'],
])('of the pagers %j, %j is told: %s', async (pagers, name, why) => {
  expect((await send(pagers, name)).refused).toContain(why);
});

test('the address that PAGERDUTY_URL named is asked for where it stands now', async () => {
  const said = await outcomeOf({ PAGERS: setting, PAGERDUTY_URL: 'https://events.eu.pagerduty.com' }, 'pager', 'test');
  expect(said.refused).toMatch(/PAGERDUTY_URL is no setting any more: .*PAGERS/);
});
