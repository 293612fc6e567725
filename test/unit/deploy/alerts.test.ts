import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { isPassingWord, tokenRefusals } from '../../../src/bot/slack/clients.ts';
import { errorCodes } from '../../../src/contract/errors.ts';
import { read } from '../../support/docs/files.ts';
import { readMetrics, toMisuses } from '../../support/exposed-metrics.ts';

const Alert = z.object({
  alert: z.string(),
  expr: z.string(),
  for: z.string().optional(),
  labels: z.object({ severity: z.enum(['critical', 'warning']) }),
  annotations: z.object({ summary: z.string(), description: z.string() }),
});
const alerts = z
  .object({ groups: z.array(z.object({ name: z.string(), rules: z.array(Alert) })) })
  .parse(parse(read('deploy/prometheus/alerts.yml')))
  .groups.flatMap(group => group.rules);
const names = alerts.map(each => each.alert);

const Case = z.object({
  alert_rule_test: z.array(z.object({ alertname: z.string(), exp_alerts: z.array(z.unknown()) })),
});
const cases = z
  .object({ tests: z.array(Case) })
  .parse(parse(read('deploy/prometheus/alerts.test.yml')))
  .tests.flatMap(each => each.alert_rule_test);

test('every metric, label and state that an alert names is one that Muster exposes', async () => {
  const { series } = await readMetrics();
  expect(alerts.flatMap(({ expr }) => toMisuses(expr, series))).toEqual([]);
});

test('each alert has a case in which it fires, and one in which it stays silent', () => {
  expect(names.length).toBeGreaterThan(9);
  const of = (fires: boolean) => cases.filter(each => each.exp_alerts.length > 0 === fires).map(each => each.alertname);
  expect([...new Set(of(true))].toSorted()).toEqual(names.toSorted());
  expect([...new Set(of(false))].toSorted()).toEqual(names.toSorted());
});

test('the alerts name outcomes as the code does', () => {
  const outcomesOf = (name: string) =>
    /outcome=~"([^"]+)"/.exec(alerts.find(each => each.alert === name)?.expr ?? '')?.[1]?.split('|') ?? [];
  expect(outcomesOf('MusterSlackTokenRefused').toSorted()).toEqual([...tokenRefusals].toSorted());
  const waits = outcomesOf('MusterSlackTakesNoMessages');
  expect(waits.filter(each => !isPassingWord(each))).toEqual(['rate_limited', 'http_429', 'http_5..']);
  const codes = outcomesOf('MusterApiTokenRefused');
  expect(codes.length).toBe(2);
  expect(codes.filter(code => !(code in errorCodes))).toEqual([]);
});

test('docs/operating.md has a runbook for each alert', () => {
  const runbooks = [...read('docs/operating.md').matchAll(/^### (Muster\w+)$/gm)].map(match => match[1]);
  expect(runbooks).toEqual(names);
});
