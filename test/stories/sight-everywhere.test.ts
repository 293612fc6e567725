import { expect, test } from 'vitest';
import { commandsAbout } from '../support/sight/attempts.ts';
import { liveThrough, readThrough } from '../support/sight/life.ts';
import { scenes } from '../support/sight/scenes.ts';
import { openSecret } from '../support/sight/world.ts';

// With each check taken out, and after each time of a life: test/soak/sight.

test.each(Object.entries(scenes))('nobody reads what they may not: %s', async (_name, scene) => {
  expect(await scene()).toEqual([]);
});

test('a command about a hidden incident is answered like one about an incident that does not exist', async () => {
  const { olga, type } = await openSecret({ isPrivate: true });
  const hidden = commandsAbout('1');
  for (const [index, line] of commandsAbout('999').entries()) {
    const missing = await type(line, olga);
    const answered = await type(hidden[index] ?? '', olga);
    expect(answered.replaceAll(/\b1\b/g, '999'), line).toBe(missing.replaceAll(/\b1\b/g, '999'));
  }
});

test.each([
  ['declared as private', true],
  ['made private later', false],
])('no page, token, webhook or export of the embedded service tells of a room %s', async (_how, isPrivate) => {
  expect(await liveThrough({ isPrivate, readAfter: ['made', 'changed by somebody who joined', 'archived'] })).toEqual(
    [],
  );
});

test.each([
  ['declared as private', true],
  ['made private later', false],
])(
  'pages show a room %s to the people who are in it, at each time of its life, and to nobody else',
  async (_how, isPrivate) => {
    expect(await readThrough({ isPrivate })).toEqual([]);
  },
);
