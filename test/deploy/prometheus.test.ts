import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lacks, run } from '../support/deploy/tool.ts';
import { root } from '../support/docs/files.ts';

const folder = join(root, 'deploy/prometheus');
const hasNoPromtool = lacks('promtool');

test.skipIf(hasNoPromtool)('promtool takes the alert rules', () => {
  expect(run('promtool', ['check', 'rules', 'alerts.yml'], folder)).toMatchObject({
    code: 0,
    text: expect.stringMatching(/\d+ rules found/),
  });
});

test.skipIf(hasNoPromtool)('each alert fires for what it is for, and stays silent for what looks like it', () => {
  const { code, text } = run('promtool', ['test', 'rules', 'alerts.test.yml'], folder);
  expect(text).toContain('SUCCESS');
  expect(code).toBe(0);
});
