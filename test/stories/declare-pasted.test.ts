import { expect, test } from 'vitest';
import { openIncident } from '../support/incident-room.ts';
import { openOutage } from '../support/outage-room.ts';

test('a severity that nobody said is asked for once the incident is over', async () => {
  const { type, next, nextMessage, press, alice, submit, incident } = await openIncident();
  await type('/incident resolve It was the pool --now');
  expect(next().at(-1)).toContain('set the severity');
  await press(nextMessage(), 'Severity and times');
  expect(alice.view?.title).toBe('Edit the incident');
  await submit({ severity: 'major' });
  expect((await incident()).severity).toBe('major');
  expect(next().at(-1)).not.toContain('set the severity');
});

test('while the API is away, a severity with its reason is set and noted once', async () => {
  const { type, room, goAway, comeBack, incident, timeline } = await openOutage();
  await type('/incident declare Checkout answers 500 --now');
  goAway();
  await type('/incident severity critical: nobody can pay', undefined, room().name);
  await comeBack();
  expect((await incident()).severity).toBe('critical');
  const notes = (await timeline()).filter(item => item.activityKind === 'userNote');
  expect(notes.map(note => note.body)).toEqual(['nobody can pay\n\n— alice in Slack']);
});
