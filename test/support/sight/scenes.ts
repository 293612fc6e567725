import type { Channel, Message, Person } from '../../../playground/fake-slack/fake-slack.ts';
import { comeIn } from '../browser-of.ts';
import { lastMessage, openIncident } from '../incident-room.ts';
import { alertLeaks } from './alerts.ts';
import { pressEverything, tryEverything } from './attempts.ts';
import { isSecret, openSecret, type Secret, settle, shownTo, watch } from './world.ts';

/** A time of a room's life. It yields what somebody read who may not. */
type Scene = () => Promise<readonly string[]>;

/** Types each line as each person, in #general. */
async function typeAll({ type }: Secret, people: readonly Person[], lines: readonly string[]): Promise<void> {
  for (const person of people) for (const line of lines) await type(line, person);
}

/** Olga is in the room for a while: she sees the incident, and does something. */
async function visitRoom(secret: Secret, act: () => Promise<unknown>): Promise<void> {
  const { olga, alice, room, type } = secret;
  alice.invite(room, olga);
  await settle(secret);
  await type('/incident status --incident 1', olga);
  await act();
  olga.leave(room);
  await secret.slack.settled();
}

/** Alice declares another incident while the API is away. Yields its room. */
async function declareMeanwhile({ slack, alice, type, goAway }: Secret): Promise<Channel> {
  goAway();
  await type('/incident declare Zanzibar burns again --now', alice);
  const room = slack.channels.findLast(each => each.name.includes('again'));
  if (!room) throw new Error('No channel was made');
  return room;
}

/** Petra's organisation shares a room from now on. Yields what she reads that she may not, also while `act` happens. */
async function shareRoom(secret: Secret, room: Channel, act: () => Promise<void>): Promise<readonly string[]> {
  const { petra, alice, place } = secret;
  alice.share(room);
  petra.join(room);
  await settle(secret);
  const card = place.reads(petra, room.id)[0] ?? '';
  const later = await watch(secret, [petra], act);
  return card.includes('Zanzibar') ? [`still on the card: ${card}`, ...later] : later;
}

/** These people open the home tab. Yields what it then shows that is secret. */
async function homeLeaks(secret: Secret, people: readonly Person[]): Promise<readonly string[]> {
  for (const person of people) person.openHome();
  await settle(secret);
  const shown = people.map(person => ({ person, text: JSON.stringify(person.home?.payload ?? {}) }));
  return shown.filter(({ text }) => isSecret(secret, text)).map(({ person, text }) => `${person.name}: ${text}`);
}

/** The announcement, as far as it still names the incident. */
function stillAnnounced(secret: Secret): readonly string[] {
  return [...shownTo(secret, secret.olga)]
    .filter(([where, what]) => where.startsWith('incidents') && isSecret(secret, what))
    .map(([where]) => `still announced: ${where}`);
}

/** The room is made private. Yields what is announced then. */
async function makePrivate(secret: Secret): Promise<readonly string[]> {
  if (stillAnnounced(secret).length === 0) throw new Error('It was not announced');
  secret.alice.makePrivate(secret.room);
  await settle(secret);
  return stillAnnounced(secret);
}

/** The times of a room's life, by name. */
export const scenes = {
  'a private room, from outside': async () => {
    const secret = await openSecret({ isPrivate: true });
    return watch(secret, [secret.olga], () => tryEverything(secret, secret.olga, '1'));
  },
  'a private room, from a guest outside': async () => {
    const secret = await openSecret({ isPrivate: true });
    return watch(secret, [secret.gus], () => tryEverything(secret, secret.gus, '1'));
  },
  'a private room while the API is away': async () => {
    const secret = await openSecret({ isPrivate: true });
    const { olga, gus, alice, room, type, goAway } = secret;
    goAway();
    await type('/task add another Quagga', alice, room);
    const lines = ['/incident status', '/note list', '/task done the'].map(line => `${line} --incident 1`);
    return watch(secret, [olga, gus], () => typeAll(secret, [olga, gus], [...lines, '/incident list']));
  },
  'the home tab of outsiders, and of somebody who left the room': async () => {
    const secret = await openSecret({ isPrivate: true });
    const { olga, gus, petra, ursula, goAway } = secret;
    const before = [...(await homeLeaks(secret, [olga, gus, petra]))];
    const inside = await homeLeaks(secret, [ursula]);
    if (inside.length === 0) throw new Error('Those inside do not see it');
    await visitRoom(secret, async () => {
      if ((await homeLeaks(secret, [olga])).length === 0) throw new Error('She does not see it while she is inside');
    });
    const after = await homeLeaks(secret, [olga]);
    goAway();
    return [...before, ...after, ...(await homeLeaks(secret, [olga, gus]))];
  },
  'a room that somebody left, and their buttons': async () => {
    const secret = await openSecret({ isPrivate: true });
    const { olga, slack, type, goAway } = secret;
    await visitRoom(secret, async () => {
      slack.delayTriggers();
      await type('/incident resolve --incident 1', olga);
      goAway();
      await type('/task done 1 --incident 1', olga);
    });
    return watch(secret, [olga], () => pressEverything(secret, olga));
  },
  'a room that somebody left before their change was made': async () => {
    const secret = await openSecret({ isPrivate: true });
    const { olga, type, goAway, comeBack } = secret;
    await visitRoom(secret, async () => {
      goAway();
      await type('/incident title Other words --incident 1', olga);
    });
    return watch(secret, [olga], comeBack);
  },
  'a public room that is made private': async () => {
    const secret = await openSecret({ isPrivate: false });
    const { olga, gus, alice, room, type } = secret;
    const left = await makePrivate(secret);
    const later = await watch(secret, [olga, gus], async () => {
      await type('/incident severity major', alice, room);
      await tryEverything(secret, olga, '1');
      alice.archive(room);
      await tryEverything(secret, gus, '1');
    });
    return [...left, ...later];
  },
  'a public room that is made private while the API is away': async () => {
    const secret = await openSecret({ isPrivate: false });
    const { olga, gus } = secret;
    secret.goAway();
    const left = await makePrivate(secret);
    return [...left, ...(await watch(secret, [olga, gus], secret.comeBack)), ...stillAnnounced(secret)];
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
    const lines = ['/incident status', '/task list', '/note list'].map(line => `${line} --incident ~${intent}`);
    return watch(secret, [olga, gus], () => typeAll(secret, [olga, gus], lines));
  },
  'an invitation by somebody who left': async () => {
    const secret = await openSecret({ isPrivate: true });
    const { olga, gus, room, place, type } = secret;
    let offer: Message | undefined;
    await visitRoom(secret, async () => {
      await type('/task add groom the Quagga @gus', olga, room);
      offer = place.messages(olga, room.id).findLast(each => JSON.stringify(each.blocks).includes('incident.invite'));
    });
    const pressed = offer;
    if (!pressed) throw new Error('Nothing was offered');
    return watch(secret, [gus], async () => void (await olga.press(pressed, 'Invite')));
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
      async () =>
        void (await type('/dash link cpu-load where the Mandrill sits --incident 1 --window incident', alice)),
    );
  },
  'a status posted from outside': async () => {
    const secret = await openSecret({ isPrivate: true });
    const { olga, alice, type, place, general } = secret;
    return watch(secret, [olga], async () => {
      await type('/incident status --incident 1', alice);
      await alice.press(lastMessage(place, alice, general), 'Post to channel');
      await place.quiet();
    });
  },
  'lists posted from outside': async () => {
    const secret = await openSecret({ isPrivate: true });
    const { olga, alice, type, place, general } = secret;
    return watch(secret, [olga], async () => {
      for (const line of ['/incident list', '/task list --incident 1', '/role list --incident 1']) {
        await type(line, alice);
        const list = lastMessage(place, alice, general);
        if (JSON.stringify(list.blocks).includes('Post to channel')) await alice.press(list, 'Post to channel');
        await place.quiet();
      }
    });
  },
  'a room that is shared': async () => {
    const secret = await openSecret({ isPrivate: false });
    const { alice, room, type } = secret;
    return shareRoom(secret, room, async () => {
      await type('/incident title Zanzibar burns on', alice, room);
      await type('/incident resolve the Mandrill is caught --now', alice, room);
    });
  },
  'a room that is shared before its incident is discarded': async () => {
    const secret = await openSecret({ isPrivate: false });
    const { alice, general, place } = secret;
    const room = await declareMeanwhile(secret);
    const receipt = lastMessage(place, alice, general);
    return shareRoom(secret, room, async () => {
      await alice.press(receipt, 'Discard');
    });
  },
  'a room that is shared before its incident is refused': async () => {
    const secret = await openSecret({ isPrivate: false });
    const { grafana } = secret;
    const room = await declareMeanwhile(secret);
    return shareRoom(secret, room, async () => {
      await secret.place.muster.bot.journal.idle();
      grafana.heal();
      const body = JSON.stringify({ error: 'Zanzibar is no name for an incident' });
      grafana.fail({ when: /CreateIncident$/, answer: { status: 400, body } });
      await secret.reachable();
      await secret.place.muster.bot.journal.wake();
    });
  },
  'an alert of a private incident': async () => {
    const secret = await openSecret({ isPrivate: true });
    const { olga } = secret;
    return alertLeaks(secret, () => pressEverything(secret, olga));
  },
  'an alert of a public incident that is made private': async () => {
    const secret = await openSecret({ isPrivate: false });
    return alertLeaks(secret, async () => secret.alice.makePrivate(secret.room));
  },
  'an alert of a public incident that is made private while the API is away': async () => {
    const secret = await openSecret({ isPrivate: false });
    return alertLeaks(secret, async () => {
      secret.goAway();
      secret.alice.makePrivate(secret.room);
    });
  },
  'a page of a room that was made private unseen': async () => {
    const { place, slack, carol, home, general, wait } = await openIncident({ settings: { PAGES: 'slack' } });
    const { browser } = await comeIn(place, carol, general.name);
    const read = async (id = '1') =>
      (await browser.ask(`/a/grafana-irm-app/incidents/${id}/checkout-answers-500`)).text;
    if (!(await read()).includes('Checkout answers')) throw new Error('She does not read it while it is open to all');
    Object.assign(slack.channel(home.id), { isPrivate: true });
    wait(6);
    // It may not even tell that there is one.
    const page = (await read()).replaceAll(/\b1\b/g, '999');
    return page === (await read('999')).replaceAll(/\b1\b/g, '999') ? [] : [page];
  },
  'a hidden room that is named by its id': async () => {
    const { olga, alice, slack, room, place, general } = await openSecret({ isPrivate: true });
    const empty = slack.addChannel({ name: 'board', isPrivate: true, members: [alice], botIsMember: true });
    const told: string[] = [];
    for (const words of ['status #it', 'resolve #it --now', 'note #it burns', 'task list #it']) {
      const askAbout = async ({ id, name }: Channel) => {
        // A message names a channel by its id alone.
        olga.mention(general, words.replace('it', name));
        await place.quiet();
        return place.lastRead(olga, general.id).replaceAll(id, 'ID').replaceAll(name, 'it');
      };
      const answer = await askAbout(room);
      if (answer !== (await askAbout(empty))) told.push(`${words}: ${answer}`);
    }
    return told;
  },
} as const satisfies Readonly<Record<string, Scene>>;

/** One of {@link scenes}. */
export type SceneName = keyof typeof scenes;
