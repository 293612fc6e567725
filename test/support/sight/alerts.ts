import { openWatchdog } from '../../../playground/watchdog.ts';
import { lastMessage } from '../incident-room.ts';
import { alertToken, type Secret, settle, watch } from './world.ts';

/**
 * Everybody is offered an alert. Alice adds it to the secret incident, it grows and it ends, then `act` happens, and those outside ask for
 * the alerts of the incident. Yields what they read that they may not.
 */
export async function alertLeaks(secret: Secret, act: () => Promise<void>): Promise<readonly string[]> {
  const { olga, gus, alice, incidents, room, place, type } = secret;
  await using watchdog = openWatchdog({ url: () => place.muster.url, token: alertToken, now: () => new Date() });
  const send = async (event: 'Fire' | 'Grow' | 'End all') => {
    watchdog.act(event);
    await watchdog.sent();
    await settle(secret);
  };
  alice.join(incidents);
  await settle(secret);
  const press = async (label: string, who = alice) => {
    const offer = place.messages(alice, incidents.id).findLast(each => JSON.stringify(each).includes('"alert.add"'));
    if (!offer) throw new Error('No alert is offered');
    await who.press(offer, label);
    await settle(secret);
  };
  return await watch(secret, [olga, gus], async () => {
    await send('Fire');
    // Before it is private they may read its name.
    if (room.isPrivate) for (const outsider of [olga, gus]) await press('Add to…', outsider);
    await press('Add to…');
    await alice.choose(lastMessage(place, alice, incidents), 'alert.add.to', '#1 Zanzibar burns');
    await settle(secret);
    const listed = await type('/incident alerts --incident 1', alice);
    if (!listed.includes('1 alert of')) throw new Error(`It was not added: ${listed}`);
    for (const event of ['Grow', 'End all'] as const) await send(event);
    await act();
    await settle(secret);
    for (const outsider of [olga, gus]) await type('/incident alerts --incident 1', outsider);
  });
}
