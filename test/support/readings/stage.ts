import { optionsOf } from '../../../playground/fake-slack/block-kit/fields.ts';
import { blocksOf } from '../../../playground/fake-slack/block-kit/message-blocks.ts';
import {
  type Channel,
  type FormValues,
  type Message,
  type Person,
  renderMessage,
  renderView,
} from '../../../playground/fake-slack/fake-slack.ts';
import { isJsonObject, type JsonObject, toObjects, toText } from '../../../playground/fake-slack/protocol/json.ts';
import { record } from './recorder.ts';
import { openTeam } from './team.ts';
import type { Wording } from './wording.ts';

/** An element of a message that can be pressed or chosen from. */
interface Pressable {
  readonly message: Message;
  readonly block: JsonObject;
  readonly element: JsonObject;
}

/** A team that people act in, with a record of all that they are shown. */
export async function openStage(words: Wording) {
  await using opening = new AsyncDisposableStack();
  const rita = { userID: 'grafana-user:7', name: words.name, email: 'rita@example.com' };
  const team = opening.use(await openTeam([rita]));
  const { slack } = team;
  const { readings, begin, acts } = record(slack, team.incidents.id, {
    message: message => renderMessage(slack, message),
    view: view => renderView(slack, view),
  });
  const alice = slack.addPerson({ name: 'alice', tz: 'Europe/Berlin', email: 'alice@example.com' });
  const bob = slack.addPerson({ name: 'bob', tz: 'America/New_York', email: 'bob@example.com' });
  const dora = slack.addPerson({ name: 'dora', realName: words.name, email: 'dora@example.com' });
  const root = slack.addPerson({ name: 'root', email: 'root@example.com', isAdmin: true });
  const gus = slack.addPerson({ name: 'gus', email: 'gus@example.com', isRestricted: true });
  const watchdog = slack.addPerson({ name: 'watchdog', isBot: true });
  const general = slack.addChannel({
    name: 'general',
    members: [alice, bob, dora, root, gus, watchdog],
    botIsMember: true,
  });
  for (const person of [alice, bob]) person.join(team.incidents);
  /** Things that the life looked for in vain. */
  const lost: string[] = [];
  let place: Channel = general;

  /** Every element that a person can press in a channel, of the newest message first. */
  const elements = (person: Person, channel: Channel): readonly Pressable[] =>
    person
      .sees(channel)
      .filter(message => message.botId === slack.botId)
      .toReversed()
      .flatMap(message =>
        blocksOf(message).flatMap(block =>
          [...toObjects(block.elements), ...(isJsonObject(block.accessory) ? [block.accessory] : [])].flatMap(
            element => (typeof element.action_id === 'string' ? [{ message, block, element }] : []),
          ),
        ),
      );
  const use = async (person: Person, { message, block, element }: Pressable, state: JsonObject = {}) => {
    const at = { blockId: toText(block.block_id), actionId: toText(element.action_id) };
    await person.use(message, at, state);
    await team.quiet();
  };
  const labelOf = (element: JsonObject) => (isJsonObject(element.text) ? toText(element.text.text) : '');

  const stage = {
    ...team,
    words,
    readings,
    lost,
    people: { alice, bob, dora, root, gus, watchdog },
    general,
    /** What follows belongs to a part of the life, and is typed in a channel. */
    begin: (chapter: string, channel: Channel = general) => {
      begin(chapter);
      acts('');
      place = channel;
    },
    go: (channel: Channel) => {
      place = channel;
    },
    /** The newest channel of an incident. */
    room: (): Channel => {
      const found = slack.channels.findLast(each => each.name.startsWith('inc-'));
      if (!found) throw new Error('There is no room');
      return found;
    },
    /** Somebody does something that is none of the following. */
    act: async (title: string, what: () => unknown) => {
      acts(title);
      await what();
      await team.quiet();
    },
    type: async (person: Person, ...lines: readonly string[]) => {
      for (const line of lines) {
        acts(line);
        await person.command(place, line);
        await team.quiet();
      }
    },
    /** Presses the newest button with that label or action id, in the channel at hand unless another is named. */
    press: async (person: Person, what: string, { near = '', channel = place } = {}) => {
      acts(`[${what}]`);
      const found = elements(person, channel).find(
        ({ element, block, message }) =>
          [labelOf(element), element.action_id].includes(what) &&
          (near === '' ||
            JSON.stringify([blocksOf(message)[blocksOf(message).indexOf(block) - 1], block]).includes(near)),
      );
      if (found) return use(person, found);
      // Entries of a menu are named by their words too.
      for (const pressable of elements(person, channel)) {
        const option = optionsOf(pressable.element).find(each => labelOf(each) === what || each.value === what);
        if (option) return use(person, pressable, { selected_option: option });
      }
      lost.push(`${person.name} finds no [${what}] in #${channel.name}`);
    },
    /** Chooses a person in the newest menu with that action id. */
    pick: async (person: Person, actionId: string, whom: Person) => {
      acts(`[${actionId}] @${whom.name}`);
      const found = elements(person, place).find(({ element }) => element.action_id === actionId);
      if (found) await use(person, found, { selected_user: whom.id });
      else lost.push(`${person.name} finds no menu ${actionId}`);
    },
    /** Fills in the form in front of a person and sends it; what stays open is closed. */
    submit: async (person: Person, values: FormValues = {}) => {
      if (!person.view) return void lost.push(`${person.name} has no form`);
      acts(`“${person.view.title}”, sent`);
      await person.submit(values).catch(error => void lost.push(String(error)));
      await team.quiet();
      while (person.view) await person.close();
    },
    /** Presses a button in the form in front of a person. */
    pressInForm: async (person: Person, button: string) => {
      acts(`[${button}] in the form`);
      await person.press('view', button).catch(error => void lost.push(String(error)));
      await team.quiet();
    },
    /** Opens the home tab, and presses these buttons there. */
    home: async (person: Person, ...buttons: readonly string[]) => {
      acts('opens the home tab');
      person.openHome();
      await team.quiet();
      for (const button of buttons) {
        acts(`[${button}] on the home tab`);
        await person.press('home', button).catch(error => void lost.push(`the home tab: ${String(error)}`));
        await team.quiet();
      }
    },
    close: async (person: Person) => {
      while (person.view) await person.close();
    },
    /** Uses an entry of a message’s menu. */
    menu: async (person: Person, entry: string, on: Message | Channel | undefined) => {
      acts(`the entry ${entry}`);
      await person.shortcut(entry, on);
      await team.quiet();
    },
    /** Presses each button and chooses each entry that the person sees in a channel, at most so often, and sends the forms. */
    pressAll: async (person: Person, channel: Channel, most = 1) => {
      const pressed = new Map<string, number>();
      for (const pressable of elements(person, channel)) {
        const { element, message } = pressable;
        const id = toText(element.action_id);
        const entries = optionsOf(element);
        const states: readonly JsonObject[] =
          element.type === 'users_select'
            ? [{ selected_user: bob.id }]
            : entries.length === 0
              ? [{}]
              : entries.map(option => ({ selected_option: option }));
        for (const [index, state] of states.slice(0, 12).entries()) {
          const key = entries.length === 0 ? id : `${id} ${element.type === 'overflow' ? entries[index]?.value : ''}`;
          const times = pressed.get(key) ?? 0;
          if (times >= most || message.deleted) continue;
          pressed.set(key, times + 1);
          acts(`[${labelOf(element) || id}]`);
          await use(person, pressable, state).catch(() => undefined);
          if (person.view) await person.submit({}).catch(() => undefined);
          await team.quiet();
          while (person.view) await person.close();
        }
      }
    },
  };
  const running = opening.move();
  return { ...stage, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

/** That stage. */
export type Stage = Awaited<ReturnType<typeof openStage>>;
