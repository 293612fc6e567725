import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { countDust, findOpeners } from '../support/dust.ts';

/*
 * A file holds one idea whole (docs/architecture.md, Rooms). These counts tell where one idea lies in pieces: in a file that is the other half
 * of its neighbour, in names that are exported for one user, in types that are pieces of others, in functions that nobody reads at once.
 */

const dust = countDust();

/** Most of each. A lower count becomes the new limit. */
const most = { halves: 43, exports: 2618, forTests: 55, types: 1010, picks: 139, openers: 281 };

/** Folders whose files are the entries of one list: each has one importer. */
const registers: Readonly<Record<string, string>> = {
  'src/conformance': 'the checks of each service of the API have a file, and checks.ts lists them',
  'src/bot/schema': 'the tables of each idea have a file, and tables.ts lists them',
};

/** Functions that may be large, and why. */
const large: Readonly<Record<string, string>> = {};

test('few files are the other half of a neighbour', () => {
  const halves = dust.halves.filter(path => !(dirname(path) in registers));
  expect(halves.length, halves.join('\n')).toBeLessThanOrEqual(most.halves);
  expect(Object.keys(registers).filter(folder => !dust.halves.some(path => dirname(path) === folder))).toEqual([]);
});

test('an exported name has a user, and most have one outside the tests', () => {
  expect(dust.unused).toEqual([]);
  expect(dust.exports).toBeLessThanOrEqual(most.exports);
  expect(dust.forTests.length, dust.forTests.join('\n')).toBeLessThanOrEqual(most.forTests);
});

test('few types are there, and few of them are pieces of others', () => {
  expect(dust.types).toBeLessThanOrEqual(most.types);
  expect(dust.picks).toBeLessThanOrEqual(most.picks);
});

test('a function is read at once, or the list says why not', () => {
  expect(dust.large.toSorted()).toEqual(Object.keys(large).toSorted());
});

test('few functions set a world up, so that a reader of tests knows each', () => {
  const openers = findOpeners();
  expect(openers.length, openers.join('\n')).toBeLessThanOrEqual(most.openers);
});
