import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exportCommand, importCommand } from '../../../src/commands/transfer-actions.ts';
import { makeDatabase } from '../../support/databases/fresh.ts';
import { patient } from '../../support/deadlines.ts';
import { serve } from '../../support/served.ts';
import { call, tokens } from '../../support/service.ts';

const deadlines = patient();

function listen() {
  const said = { printed: '', noted: '' };
  const terminal = {
    print: (text: string) => {
      said.printed += text;
    },
    note: (text: string) => {
      said.noted += text;
    },
  };
  return { terminal, said };
}

test('a team moves from a server to a database and on to another server, told what came and what could not', async () => {
  await using old = await serve();
  await call(old, 'IncidentsService.CreateIncident', { title: 'Moved house', severity: 'major' });
  await call(old, 'ActivityService.AddActivity', { incidentID: '1', body: 'boxes packed' });
  const root = await mkdtemp(join(tmpdir(), 'muster-move-'));
  await using fresh = await makeDatabase();
  await using next = await serve();
  const { terminal, said } = listen();
  const out = join(root, 'one');
  const database = fresh.url;
  const severities = ['pending', 'minor', 'major', 'critical'];
  try {
    const from = { url: old.address, token: tokens.Admin, deadlines };
    await exportCommand(terminal, { ...from, database, out, dashboard: [] });
    expect(said.noted).toContain('1 incident with 2 timeline items and 0 tasks');
    expect(said.noted).toContain('The API lists no dashboards');
    await importCommand(terminal, { database, deadlines, folder: out, severities });
    expect(said.printed).toContain('incidents: 1 added, 0 there already');
    const again = join(root, 'two');
    await exportCommand(terminal, { database, deadlines, out: again, dashboard: [] });
    const incident = JSON.parse(await readFile(join(again, 'incidents/1.json'), 'utf8'));
    expect(incident).toMatchObject({ title: 'Moved house', severity: 'major', severityLevel: 2 });
    const to = { url: next.address, token: tokens.Admin, deadlines };
    await importCommand(terminal, { ...to, database, folder: again, severities });
    expect(said.printed).toContain('Incidents get new ids');
    const { incidentPreviews } = await call(next, 'IncidentsService.QueryIncidentPreviews', { query: {} });
    expect(incidentPreviews.map(each => each.title)).toEqual(['Moved house']);
    const files = await readdir(root, { recursive: true, withFileTypes: true });
    for (const file of files.filter(each => each.isFile())) {
      expect(await readFile(join(file.parentPath, file.name), 'utf8')).not.toContain(tokens.Admin);
    }
    expect(JSON.stringify(said)).not.toContain(tokens.Admin);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
});

test('an address without a token is refused with what to do', async () => {
  const { terminal } = listen();
  const options = {
    url: 'http://127.0.0.1:1',
    database: 'sqlite::memory:',
    deadlines,
    out: join(tmpdir(), 'never'),
    dashboard: [],
  };
  await expect(exportCommand(terminal, options)).rejects.toThrow('--url needs a token: set --token or GRAFANA_TOKEN.');
});
