import type { Locator, Page } from 'playwright-core';
import type { faultNames } from '../../../playground/workspace/protocol.ts';
import type { Random } from '../simulate/random.ts';
import { briefly, composerOf, dialogOf, nameOf, openTab, pickSeen } from './page-parts.ts';
import { typedCommand, typedWords } from './words.ts';

/** What a person does once: the words for it, or undefined when the page offers nothing of the kind. */
type Deed = (page: Page, random: Random) => Promise<string | undefined>;

/** What somebody does when no dialog is in front of them, each as often as its number says. */
const deeds: readonly (readonly [number, Deed])[] = [
  [10, typeCommand],
  [5, write],
  [5, press],
  [5, useMenu],
  [4, react],
  [4, changeChannel],
  [2, answerInThread],
  [2, choose],
  [2, lookBehind],
  [1, openShortcut],
  [1, scroll],
];

/** Does one thing that the page offers. */
export async function doSomething(page: Page, random: Random): Promise<string | undefined> {
  const dialog = await dialogOf(page);
  if (dialog !== undefined) return answerDialog(page, dialog, random);
  const all = deeds.flatMap(([times, deed]) => Array<Deed>(times).fill(deed));
  return random.pick(all)(page, random);
}

async function typeCommand(page: Page, random: Random): Promise<string | undefined> {
  return send(page, typedCommand(random));
}

async function write(page: Page, random: Random): Promise<string | undefined> {
  return send(page, typedWords(random));
}

/** Sends words, or a command. Resolves to what was done; undefined where one cannot write. */
export async function send(page: Page, words: string): Promise<string | undefined> {
  const composer = await composerOf(page);
  if (composer === undefined) return undefined;
  await composer.fill(words, briefly);
  await composer.press('Enter', briefly);
  return `types ${words}`;
}

/** Anything that can be pressed, but what leaves the page or begins a story. */
const pressable = 'main button, nav button, .thread button, .home button';

async function press(page: Page, random: Random): Promise<string | undefined> {
  const button = await pickSeen(page, random, pressable);
  if (button === undefined) return undefined;
  const name = await nameOf(button);
  await button.click(briefly);
  return `presses ${name}`;
}

async function pickMessage(page: Page, random: Random): Promise<Locator | undefined> {
  const message = await pickSeen(page, random, 'main article:not(.ephemeral, .notice)');
  await message?.hover(briefly);
  return message;
}

async function useMenu(page: Page, random: Random): Promise<string | undefined> {
  const message = await pickMessage(page, random);
  if (message === undefined) return undefined;
  await message.getByRole('button', { name: 'More actions' }).click(briefly);
  const entry = await pickSeen(page, random, '[role=menu][aria-label="More actions"] [role=menuitem]');
  if (entry === undefined) return undefined;
  const [name, of] = [await nameOf(entry), await nameOf(message)];
  await entry.click(briefly);
  if (name === 'Edit message') {
    const field = page.getByRole('textbox', { name: 'Edit the message' });
    await field.fill(typedWords(random), briefly);
    await field.press('Enter', briefly);
  }
  return `chooses ${name} for ${of}`;
}

async function react(page: Page, random: Random): Promise<string | undefined> {
  const message = await pickMessage(page, random);
  if (message === undefined) return undefined;
  const of = await nameOf(message);
  await message.getByRole('button', { name: 'Add reaction' }).click(briefly);
  const emoji = await pickSeen(page, random, '.emoji-grid button');
  if (emoji === undefined) return undefined;
  const name = await nameOf(emoji);
  await emoji.click(briefly);
  return `reacts with ${name} to ${of}`;
}

const channels = 'nav[aria-label="Channels"] button:not(:has-text("Create a channel"))';
/** The rooms of incidents in the list of channels. */
export const rooms = 'nav[aria-label="Channels"] button:has-text("inc-")';

async function changeChannel(page: Page, random: Random): Promise<string | undefined> {
  // Most happens in the rooms of incidents.
  const isRoom = random.chance(0.6) && (await page.locator(rooms).count()) > 0;
  const channel = await pickSeen(page, random, isRoom ? rooms : channels);
  if (channel === undefined) return undefined;
  const name = await nameOf(channel);
  await channel.click(briefly);
  return `goes to ${name}`;
}

async function answerInThread(page: Page, random: Random): Promise<string | undefined> {
  const message = await pickMessage(page, random);
  if (message === undefined) return undefined;
  const of = await nameOf(message);
  await message.getByRole('button', { name: 'Reply in thread' }).click(briefly);
  const field = page.getByRole('textbox', { name: /^Reply in / });
  if ((await field.count()) === 0) return `looks at the thread of ${of}`;
  const words = typedWords(random);
  await field.fill(words, briefly);
  await field.press('Enter', briefly);
  return `answers ${words} to ${of}`;
}

/** Chooses in a menu of a message. */
async function choose(page: Page, random: Random): Promise<string | undefined> {
  const menu = await pickSeen(page, random, 'main article [role=combobox], .home [role=combobox]');
  return menu === undefined ? undefined : chooseIn(page, menu, random);
}

async function chooseIn(page: Page, menu: Locator, random: Random): Promise<string> {
  const name = await nameOf(menu);
  await menu.click(briefly);
  const option = await pickSeen(page, random, '[role=listbox] [role=option]');
  if (option === undefined) {
    await menu.press('Escape', briefly);
    return `opens ${name}`;
  }
  const chosen = await nameOf(option);
  await option.click(briefly);
  return `chooses ${chosen} in ${name}`;
}

async function lookBehind(page: Page, random: Random): Promise<string | undefined> {
  const name = random.pick(['Wire', 'Journal', 'Break things', 'Stories', 'Incident page']);
  const wire = await openTab(page, name);
  if (name === 'Wire') await (await pickSeen(wire, random, 'summary'))?.click(briefly);
  return `looks at ${name}`;
}

async function openShortcut(page: Page, random: Random): Promise<string | undefined> {
  const button = await pickSeen(page, random, '.composer button[aria-label="Shortcuts"]');
  if (button === undefined) return undefined;
  await button.click(briefly);
  const entry = await pickSeen(page, random, '[role=menu][aria-label="Shortcuts"] [role=menuitem]');
  if (entry === undefined) return undefined;
  const name = await nameOf(entry);
  await entry.click(briefly);
  return `opens ${name}`;
}

async function scroll(page: Page, random: Random): Promise<string> {
  const pixels = random.whole(-2000, 1000);
  await page.getByRole('group', { name: 'Message history' }).hover(briefly);
  await page.mouse.wheel(0, pixels);
  return `scrolls by ${pixels}`;
}

/** Fills some of a dialog in, and presses one of its buttons: mostly the last, which sends it. */
async function answerDialog(page: Page, dialog: Locator, random: Random): Promise<string> {
  const done: string[] = [];
  for (const field of await dialog.locator('input, textarea').filter({ visible: true }).all()) {
    if (random.chance(0.5)) done.push(await fillIn(page, field, random));
  }
  const buttons = dialog.getByRole('button').filter({ visible: true });
  const last = (await buttons.count()) - 1;
  const button = buttons.nth(random.chance(0.6) ? last : random.whole(0, last));
  const name = await nameOf(button);
  await button.click(briefly);
  return [...done, `presses ${name} of a dialog`].join(', ');
}

async function fillIn(page: Page, field: Locator, random: Random): Promise<string> {
  const type = (await field.getAttribute('type', briefly)) ?? 'text';
  if ((await field.getAttribute('role', briefly)) === 'combobox') return chooseIn(page, field, random);
  if (type === 'checkbox' || type === 'radio') {
    await field.click(briefly);
    return 'ticks a box';
  }
  const dated: Readonly<Record<string, string>> = {
    date: '2026-02-03',
    time: '04:05',
    'datetime-local': '2026-02-03T04:05',
    file: '',
  };
  const words = dated[type] ?? typedWords(random);
  if (type !== 'file') await field.fill(words, briefly);
  return `fills in ${words}`;
}

/** Throws one of the switches that break things. Resolves to the fault. */
export async function switchFault(page: Page, name: (typeof faultNames)[number], isOn: boolean): Promise<void> {
  const wire = await openTab(page, 'Break things');
  const control = wire.getByRole('switch', { name, exact: true });
  if ((await control.getAttribute('aria-checked', briefly)) !== String(isOn)) await control.click(briefly);
  await wire.getByRole('switch', { name, exact: true, checked: isOn }).waitFor();
}
