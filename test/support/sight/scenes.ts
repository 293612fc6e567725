import type { Person } from '../../../src/fake-slack/fake-slack.ts';
import { pressEverything, tryEverything } from './attempts.ts';
import { leaksSince, openSecret, type Secret, shownTo } from './world.ts';

/** A time of a room's life. It yields what somebody read who may not. */
type Scene = () => Promise<readonly string[]>;

/** Watches what these people are shown while something happens. */
async function watch(secret: Secret, people: readonly Person[], act: () => Promise<void>): Promise<readonly string[]> {
  const before = people.map(person => shownTo(secret, person));
  await act();
  await secret.slack.settled();
  await secret.place.quiet();
  return people.flatMap((person, index) => leaksSince(secret, person, before[index] ?? new Map()));
}

/** The times of a room's life, by name. */
export const scenes = {
  'a private room, from outside': async () => {
    const secret = await openSecret({ isPrivate: true });
    const { olga, gus } = secret;
    return watch(secret, [olga, gus], async () => {
      await tryEverything(secret, olga, '1');
      await tryEverything(secret, gus, '1');
    });
  },
  'a private room while the API is away': async () => {
    const secret = await openSecret({ isPrivate: true });
    const { olga, gus, alice, room, type, goAway } = secret;
    goAway();
    await type('/task add another Quagga', alice, room);
    return watch(secret, [olga, gus], async () => {
      for (const person of [olga, gus])
        for (const line of [
          '/incident status --incident 1',
          '/incident list',
          '/note list --incident 1',
          '/task done the --incident 1',
        ])
          await type(line, person);
    });
  },
  'a room that somebody left, and their buttons': async () => {
    const secret = await openSecret({ isPrivate: true });
    const { olga, alice, room, slack, type, place, goAway } = secret;
    alice.invite(room, olga);
    await place.quiet();
    await type('/incident status --incident 1', olga);
    slack.delayTriggers();
    await type('/incident resolve --incident 1', olga);
    goAway();
    await type('/task done 1 --incident 1', olga);
    olga.leave(room);
    await slack.settled();
    return watch(secret, [olga], () => pressEverything(secret, olga));
  },
  'a room that somebody left before their change was made': async () => {
    const secret = await openSecret({ isPrivate: true });
    const { olga, alice, room, slack, type, place, goAway, comeBack } = secret;
    alice.invite(room, olga);
    await place.quiet();
    await type('/incident status --incident 1', olga);
    goAway();
    await type('/incident severity major --incident 1', olga);
    olga.leave(room);
    await slack.settled();
    return watch(secret, [olga], comeBack);
  },
  'a public room that is made private': async () => {
    const secret = await openSecret({ isPrivate: false });
    const { olga, gus, alice, room, slack, place, type } = secret;
    const earlier = shownTo(secret, olga);
    alice.makePrivate(room);
    await slack.settled();
    await place.quiet();
    const left = [...shownTo(secret, olga)].filter(
      ([where, what]) =>
        where.startsWith('incidents') && secret.secrets.some(word => what.toLowerCase().includes(word)),
    );
    const later = await watch(secret, [olga, gus], async () => {
      await type('/incident severity major', alice, room);
      await tryEverything(secret, olga, '1');
      alice.archive(room);
      await tryEverything(secret, gus, '1');
    });
    if (![...earlier.values()].some(what => what.includes('Zanzibar'))) throw new Error('It was not announced');
    return [...left.map(([where]) => `still announced: ${where}`), ...later];
  },
  'a room that is made private before a change of an outsider is made': async () => {
    const secret = await openSecret({ isPrivate: false });
    const { olga, alice, room, slack, type, goAway, comeBack } = secret;
    await type('/incident status --incident 1', olga);
    goAway();
    await type('/role assign me observer --incident 1', olga);
    alice.makePrivate(room);
    await slack.settled();
    return watch(secret, [olga], comeBack);
  },
  'a private incident that is not registered': async () => {
    const secret = await openSecret({ isPrivate: true });
    const { olga, gus, alice, type, place, general, goAway } = secret;
    goAway();
    await type('/incident declare Zanzibar burns again --private --now', alice);
    const receipt = JSON.stringify(place.messages(alice, general.name).at(-1)?.blocks);
    const intent = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(receipt)?.[0];
    if (!intent) throw new Error('Nothing is queued');
    return watch(secret, [olga, gus], async () => {
      for (const person of [olga, gus])
        for (const verb of ['incident status', 'task list', 'note list'])
          await type(`/${verb} --incident ~${intent}`, person);
    });
  },
  'a task for somebody outside': async () => {
    const secret = await openSecret({ isPrivate: true });
    const { olga, alice, room, type } = secret;
    return watch(secret, [olga], async () => void (await type('/task add groom the Quagga @olga', alice, room)));
  },
  'a dashboard linked from outside': async () => {
    const secret = await openSecret({ isPrivate: true });
    const { olga, alice, api, type } = secret;
    await api.Dashboards.save({ dashboard: { uid: 'cpu-load', title: 'CPU load' } });
    return watch(
      secret,
      [olga],
      async () => void (await type('/dash link cpu-load where the Mandrill sits --incident 1', alice)),
    );
  },
  'a room that is shared': async () => {
    const secret = await openSecret({ isPrivate: false });
    const { petra, alice, room, slack, type, place } = secret;
    alice.share(room);
    petra.join(room);
    await slack.settled();
    await place.quiet();
    const card = place.reads(petra, room.id)[0] ?? '';
    const later = await watch(secret, [petra], async () => {
      await type('/incident title Zanzibar burns on', alice, room);
      await type('/incident resolve the Mandrill is caught --now', alice, room);
    });
    return card.includes('Zanzibar') ? [`still on the card: ${card}`, ...later] : later;
  },
  'a room that is shared before its incident is discarded': async () => {
    const secret = await openSecret({ isPrivate: false });
    const { petra, alice, general, slack, type, place, goAway } = secret;
    goAway();
    await type('/incident declare Zanzibar burns again --now', alice);
    const room = secret.slack.channels.findLast(each => each.name.includes('again'));
    const receipt = place.messages(alice, general.name).at(-1);
    if (!room || !receipt) throw new Error('No channel was made');
    alice.share(room);
    petra.join(room);
    await slack.settled();
    await place.quiet();
    const card = place.reads(petra, room.id)[0] ?? '';
    const later = await watch(secret, [petra], async () => {
      await alice.press(receipt, 'Discard');
    });
    return card.includes('Zanzibar') ? [`still on the card: ${card}`, ...later] : later;
  },
} as const satisfies Readonly<Record<string, Scene>>;

/** One of {@link scenes}. */
export type SceneName = keyof typeof scenes;
