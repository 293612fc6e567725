import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { settingNames } from '../../../src/config/settings.ts';
import { read } from '../../support/docs/files.ts';

const Service = z.looseObject({
  build: z.object({ context: z.string(), args: z.record(z.string(), z.string()) }).optional(),
  restart: z.string(),
  stop_grace_period: z.string(),
  read_only: z.boolean().optional(),
  env_file: z.string(),
});
const compose = (file: string) =>
  z.object({ services: z.record(z.string(), Service) }).parse(parse(read(`deploy/compose/${file}`), { merge: true }))
    .services;
const builtFrom = (file: string) => Object.values(compose(file)).filter(service => service.build !== undefined);

test.each([
  ['compose.sqlite.yml', 1],
  ['compose.yml', 2],
])('%s: each Muster starts again, stops in order, and writes nowhere but to its data', (file, count) => {
  expect(builtFrom(file)).toHaveLength(count);
  for (const service of builtFrom(file)) {
    expect(service).toMatchObject({
      build: { context: '../..', args: { REVISION: expect.any(String) } },
      healthcheck: { test: ['CMD', 'bash', 'bin/health.sh', '/readyz?for=traffic'] },
      restart: 'always',
      stop_grace_period: '15s',
      read_only: true,
      env_file: 'muster.env',
    });
  }
});

test.each(['deploy/compose/env.example', 'deploy/kubernetes/env.example', 'deploy/systemd/env.example'])(
  '%s names settings that exist',
  path => {
    const names = [...read(path).matchAll(/^(?:# )?([A-Z_]+)=/gm)].map(match => match[1] ?? '');
    const known: readonly string[] = settingNames;
    expect(names.length).toBeGreaterThan(2);
    expect(names.filter(name => !known.includes(name))).toEqual([]);
    expect(read(path)).not.toMatch(/^[A-Z_]+=.*#/m);
  },
);
