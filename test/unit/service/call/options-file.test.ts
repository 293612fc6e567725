import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readServiceOptions, toSeverities } from '../../../../src/service/call/options-file.ts';
import { openFolder } from '../../../support/folder.ts';
import { openWorkplace } from '../../../support/workplace.ts';

async function write(text: string): Promise<string> {
  const folder = await openFolder();
  const file = join(folder, 'options.json');
  await writeFile(file, text);
  return file;
}

test('the file of SERVICE_OPTIONS changes how the embedded service behaves', async () => {
  const file = await write(
    JSON.stringify({
      systemTasks: true,
      users: [{ userID: 'grafana-incident:1', name: 'Wendy' }],
      pluginDashboards: [{ pluginId: 'p', pluginName: 'Plugin', model: { uid: 'owned', title: 'Owned' } }],
    }),
  );
  const { api } = await openWorkplace({ settings: { SERVICE_OPTIONS: file } });

  const { incident } = await api.IncidentsService.CreateIncident({ title: 'Checkout answers 500' });
  expect(incident.taskList.tasks.map(task => task.text)).toContain('Assign COMMANDER role');
  const { users } = await api.UsersService.QueryUsers({ query: { limit: 10 } });
  expect(users.map(user => user.name)).toContain('Wendy');
  const owned = await api.Dashboards.get({ uid: 'owned' });
  await expect(api.Dashboards.save({ dashboard: { ...owned.dashboard, title: 'Mine' } })).rejects.toMatchObject({
    code: 'failed_precondition',
    reason: 'plugin-dashboard',
    message: 'The dashboard belongs to plugin Plugin.',
  });
});

test('a member of the trash that is left out has its default', async () => {
  expect(await readServiceOptions(await write('{"trash":{"enabled":false}}'))).toEqual({
    trash: { enabled: false, days: 30 },
  });
  expect(await readServiceOptions(await write('{"trash":{"days":7}}'))).toEqual({ trash: { enabled: true, days: 7 } });
});

test('a refusal names the file and every member that cannot be used', async () => {
  const file = await write(
    JSON.stringify({
      systemTasks: 'yes',
      sytemTasks: true,
      trash: { enabled: true, days: -1 },
      minRefresh: '5 sec',
      folders: [{ uid: 'a b', title: ' ' }],
    }),
  );
  const refused = await readServiceOptions(file).catch(error => String(error.message));
  expect(refused).toContain(`SERVICE_OPTIONS: ${file} cannot be used:`);
  for (const member of ['systemTasks', 'sytemTasks', 'days', 'minRefresh', 'uid', 'title'])
    expect(refused).toContain(member);
  await expect(readServiceOptions(await write('{'))).rejects.toThrow('it is not JSON');
  await expect(readServiceOptions('/nowhere/at-all.json')).rejects.toThrow('it cannot be read');
  expect(await readServiceOptions('')).toEqual({});
});

test('severities go from mild to grave, the first without a level', () => {
  expect(toSeverities(['pending', 'minor', 'critical'])).toEqual([
    { label: 'pending', level: -1 },
    { label: 'minor', level: 2 },
    { label: 'critical', level: 1 },
  ]);
});
