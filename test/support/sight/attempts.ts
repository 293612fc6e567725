import type { Channel, Message, Person } from '../../../playground/fake-slack/fake-slack.ts';
import { allShortcuts, allVerbs } from '../../../src/bot/dispatch/feature/feature.ts';
import { features } from '../../../src/bot/features.ts';
import type { Secret } from './world.ts';

/** What is typed after a verb, where more than the incident is needed. */
const samples: Readonly<Record<string, readonly string[]>> = {
  'incident resolve': ['', 'over --now'],
  'incident severity': ['', 'major'],
  'incident title': ['', 'Something else'],
  'incident label': ['checkout'],
  'incident unlabel': ['checkout'],
  'incident started': ['', '5m ago'],
  'incident ended': ['', '5m ago'],
  'task add': ['', 'a task', 'a task @olga'],
  'task edit': ['1', '1 another text'],
  'task assign': ['1 me'],
  'role assign': ['', 'me commander'],
  'role unassign': ['@bob commander', 'commander'],
  'dash link': ['cpu-load what it shows'],
  'note add': ['some words'],
};

/** Every command about the incident with that number. */
export function commandsAbout(number: string): readonly string[] {
  return allVerbs(features).flatMap(verb => {
    if (verb.about !== undefined) return [];
    const name = `${verb.noun} ${verb.verb}`;
    const typed = samples[name] ?? (verb.noun === 'task' && !verb.reads ? ['1', 'quag'] : ['']);
    return typed.map(words => `/${`${name} ${words}`.trim()} --incident ${number}`);
  });
}

/** Commands that find incidents. */
const searches = [
  '/incident list',
  '/incident list burns',
  '/incident list status:active',
  '/task list',
  '/role assign me commander',
];

/** Types every command, uses every shortcut, fills every form, and presses every button that a person finds. */
export async function tryEverything(secret: Secret, person: Person, number: string): Promise<void> {
  const { general, place, type } = secret;
  for (const line of [...commandsAbout(number), ...searches]) {
    await type(line, person, general);
    await fillForm(secret, person);
  }
  person.mention(general, `status --incident ${number}`);
  await place.quiet();
  for (const each of allShortcuts(features)) {
    if (each.kind !== 'message') continue;
    await person.shortcut(each.id, person.say(general, 'something said'));
    await place.quiet();
    await fillForm(secret, person);
  }
  person.openHome();
  await place.quiet();
  await pressEverything(secret, person);
}

/** Presses every button that Muster shows a person outside the room. */
export async function pressEverything(secret: Secret, person: Person): Promise<void> {
  const { slack, general, incidents, place } = secret;
  const places: readonly Channel[] = [general, incidents, slack.openDm(person)];
  const found = places
    .flatMap(channel => person.sees(channel))
    .flatMap(message => buttonsOf(message).map(id => ({ message, id })));
  for (const { message, id } of found) {
    // A message may be replaced meanwhile.
    await person.press(message, id).catch(() => undefined);
    await place.quiet();
    await fillForm(secret, person);
  }
  for (const id of buttonsOf({ blocks: person.home?.blocks ?? [] })) {
    await person.press('home', id).catch(() => undefined);
    await place.quiet();
    await fillForm(secret, person);
  }
}

function buttonsOf({ blocks }: Pick<Message, 'blocks'>): readonly { actionId: string }[] {
  return [...JSON.stringify(blocks).matchAll(/"action_id":"([^"]+)"/g)].map(([, actionId = '']) => ({ actionId }));
}

/** Sends the form that is open, as it is. */
async function fillForm({ place, opened }: Secret, person: Person): Promise<void> {
  if (!person.view) return;
  opened.push({ person, view: JSON.stringify(person.view.payload) });
  await person.submit({}).catch(() => undefined);
  await place.quiet();
}
