import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { features } from '../../../../src/bot/features.ts';
import { sources } from '../../../support/imports.ts';

const root = join(import.meta.dirname, '../../../..');

/** The calls that change what a room is told of (bot/incident/lines/known-state.ts). */
const changing =
  /\.(?:AssignRole|UnassignRole|AddLabel|RemoveLabel|UpdateIncidentIsDrill|UpdateSeverity|UpdateStatus|UpdateTitle)\(/;

/** The intents in the bot's sources that make such a call, by kind. */
const kinds = sources
  .filter(path => path.startsWith('src/bot/'))
  .flatMap(path => readFileSync(join(root, path), 'utf8').split('defineIntent({').slice(1))
  .filter(text => changing.test(text))
  // A function that makes intents of several kinds is called with each.
  .flatMap(text => [...text.matchAll(/^\s*kind,/.test(text) ? / = define\w+\('([^']+)'/g : /^\s*kind: '([^']+)'/g)])
  .map(match => match[1] ?? '');

test('every write that changes what a room is told of says what it leaves, so that it is not taken for somebody else’s', () => {
  const leaving = features
    .flatMap(feature => feature.intents ?? [])
    .flatMap(intent => (intent.stateChange ? [intent.kind] : []));
  expect(kinds.length).toBeGreaterThan(6);
  expect(kinds.filter(kind => !leaving.includes(kind))).toEqual([]);
});
