import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeDatabase } from '../../support/databases/fresh.ts';
import { openProgram } from '../../support/program.ts';
import { serve } from '../../support/served.ts';
import { call, tokens } from '../../support/service.ts';

/** Runs lines of `muster` one after the other, and resolves to what they printed and noted. */
async function run(...lines: readonly (readonly string[])[]) {
  const all = { printed: '', noted: '' };
  for (const words of lines) {
    const { said, run } = openProgram();
    await run(...words);
    all.printed += said.printed;
    all.noted += said.noted;
  }
  return all;
}

test('a team moves from a server to a database and on to another server, told what came and what could not', async () => {
  await using old = await serve();
  await call(old, 'IncidentsService.CreateIncident', { title: 'Moved house', severity: 'major' });
  await call(old, 'ActivityService.AddActivity', { incidentID: '1', body: 'boxes packed' });
  const root = await mkdtemp(join(tmpdir(), 'muster-move-'));
  await using fresh = await makeDatabase();
  await using next = await serve();
  const [out, again] = [join(root, 'one'), join(root, 'two')];
  const on = ['--database', fresh.url];
  const at = (address: string) => ['--url', address, '--token', tokens.Admin];
  try {
    const first = await run(['export', '--out', out, ...at(old.address)], ['import', out, ...on]);
    expect(first.noted).toContain('1 incident with 2 timeline items and 0 tasks');
    expect(first.noted).toContain('The API lists no dashboards');
    expect(first.printed).toContain('incidents: 1 added, 0 there already');
    const second = await run(['export', '--out', again, ...on], ['import', again, ...at(next.address)]);
    const incident = JSON.parse(await readFile(join(again, 'incidents/1.json'), 'utf8'));
    expect(incident).toMatchObject({ title: 'Moved house', severity: 'major', severityLevel: 2 });
    expect(second.printed).toContain('Incidents get new ids');
    const { incidentPreviews } = await call(next, 'IncidentsService.QueryIncidentPreviews', { query: {} });
    expect(incidentPreviews.map(each => each.title)).toEqual(['Moved house']);
    const files = await readdir(root, { recursive: true, withFileTypes: true });
    for (const file of files.filter(each => each.isFile())) {
      expect(await readFile(join(file.parentPath, file.name), 'utf8')).not.toContain(tokens.Admin);
    }
    expect(JSON.stringify([first, second])).not.toContain(tokens.Admin);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
});

test('an address without a token is refused with what to do', async () => {
  await expect(run(['export', '--out', join(tmpdir(), 'never'), '--url', 'http://127.0.0.1:1'])).rejects.toThrow(
    '--url needs a token: set --token or GRAFANA_TOKEN.',
  );
});
