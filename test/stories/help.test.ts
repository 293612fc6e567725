import { expect, test } from 'vitest';
import { openGeneral } from '../support/general.ts';
import { declareNow, lastMessage } from '../support/incident-room.ts';

test('/incident help is what this person can do in this channel now, and a button for the rest', async () => {
  const { place, ask, alice, general, act } = await openGeneral();
  expect(await ask('/muster help')).toContain('/incident update we roll back tells everybody the news');
  const gus = place.slack.addPerson({ name: 'gus', isRestricted: true });
  const here = async (channel = general, person = alice, line = '/incident help') => {
    await act(() => person.command(channel, line));
    return place.lastRead(person, channel.id);
  };
  for (const line of ['/incident help', '/muster incident help', '/muster help incident']) {
    const none = await here(general, alice, line);
    expect(none).toContain('This channel has no incident.');
    expect(none).toContain('/incident declare checkout is down');
    expect(none).toContain('[All commands]');
  }
  const home = await declareNow(place, alice, general, 'Checkout answers 500');
  const active = await here(home);
  expect(active).toContain('This incident is active.');
  expect(active).toContain('/incident resolve ends it');
  expect(active).not.toContain('/incident declare');
  gus.join(home.id);
  const guest = await here(home, gus);
  expect(guest).toContain('/incident status shows people, tasks and the latest');
  expect(guest).not.toContain('resolve');
  await act(() => alice.command(home, '/incident resolve it was the cache --now'));
  expect(await here(home)).toContain('/incident reopen it is back opens it again');
  const asked = lastMessage(place, alice, home);
  await act(() => alice.press(asked, 'All commands'));
  expect(place.lastRead(alice, home.id)).toContain('/incident timeline');
});

test('help rides in the acknowledgement, so it works while nothing else does', async () => {
  const { place, ask } = await openGeneral({
    settings: { GRAFANA_URL: 'http://127.0.0.1:9', GRAFANA_TOKEN: 'glsa_x' },
  });
  const before = place.slack.calls.length;
  for (const method of ['users.info', 'chat.postEphemeral', 'chat.postMessage', 'response_url']) {
    place.slack.fail(method, { stall: true }, { times: 99 });
  }
  expect(await ask('/muster help')).toContain('/incident declare');
  expect(place.slack.calls).toHaveLength(before);
});

test('help that is delivered again is said again, since the first acknowledgement may be lost', async () => {
  const { place, ask } = await openGeneral();
  await ask('/muster help');
  const delivery = place.slack.deliveries.findLast(each => each.kind === 'command');
  if (!delivery) throw new Error('no delivery');
  // A timestamp of its own, and so a signature of its own: one that was seen before is turned away.
  const again = await place.slack.deliver({ body: delivery.body, timestamp: Math.floor(Date.now() / 1000) - 60 });
  expect(again.body).toMatchObject({ text: expect.stringContaining('/incident declare') });
});
