import { expect, test } from 'vitest';
import { lastMessage, openIncident } from '../support/incident-room.ts';

test('a declaration by mistake is taken back within two minutes, and every place that was told of it says so', async () => {
  const { place, type, press, alice, carol, general, incident, bodies, wait } = await openIncident();
  const receipt = () => lastMessage(place, alice, general);
  await type('/incident declare Wrong window --now', alice, general);
  const declared = receipt();
  wait(1);
  await press(declared, 'Undo');
  expect(place.reads(alice, 'general').join('\n')).toContain(
    ':leftwards_arrow_with_hook: Declared by mistake: Wrong window, says @alice.',
  );
  expect(place.reads(alice, 'general').join('\n')).toContain(
    'You took back the declaration of incident 2: “Wrong window”.',
  );
  expect((await incident('2')).status).toBe('resolved');
  expect((await bodies('2'))[0]).toMatch(/^Declared by mistake\n\n— alice in Slack/);
  expect(place.reads(carol, 'general').at(-1)).toContain('Declared by mistake');
  const room = place.slack.channels.find(each => each.name.includes('wrong-window'));
  expect(place.reads(alice, room?.id ?? '').join('\n')).toContain(
    ':leftwards_arrow_with_hook: Declared by mistake – @alice · /incident reopen opens it again',
  );
  await press(declared, 'Undo');
  expect(place.reads(alice, 'general').join('\n')).toContain('You took back the declaration');
  expect(await bodies('2')).toHaveLength(1);
});
