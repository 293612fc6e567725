import { expect, test } from 'vitest';
import { openFakeGrafana } from '../support/fake-grafana.ts';
import { openIncident } from '../support/incident-room.ts';

const texts = async ({ incident }: Pick<Awaited<ReturnType<typeof openIncident>>, 'incident'>) =>
  (await incident()).taskList.tasks.map(
    ({ text, assignedUser }) => `${text}${assignedUser ? ` @${assignedUser.name}` : ''}`,
  );

/** What people type behind `/task add`, and the tasks that they mean. */
const typed = [
  ['restart pooler\ncheck lag\ntell support', ['restart pooler', 'check lag', 'tell support']],
  ['- restart pooler\n- check lag', ['restart pooler', 'check lag']],
  ['• restart pooler\n• check lag', ['restart pooler', 'check lag']],
  ['* restart pooler\n* check lag', ['restart pooler', 'check lag']],
  ['1. restart pooler\n2. check lag', ['restart pooler', 'check lag']],
  ['1) restart pooler\n\n2) check lag', ['restart pooler', 'check lag']],
  ['[ ] restart pooler\n[x] check lag', ['restart pooler', 'check lag']],
  ['DB:\n- restart pooler\n- check lag', ['DB: restart pooler', 'DB: check lag']],
  ['- restart pooler\n  on db2\n- check lag', ['restart pooler on db2', 'check lag']],
  [
    'restart pooler @bob\n@alice check lag\ntell @bob about it',
    ['restart pooler @bob', 'check lag @alice', 'tell @bob about it'],
  ],
  ['2 replicas are down: restart\n3 more tomorrow', ['2 replicas are down: restart', '3 more tomorrow']],
  ['restart pooler', ['restart pooler']],
  ['restart pooler\n', ['restart pooler']],
  ['“restart pooler\nand check lag”', ['restart pooler\nand check lag']],
  ['"restart pooler\nand check lag"', ['restart pooler\nand check lag']],
  ['> the pooler is full\nrestart it', ['> the pooler is full\nrestart it']],
  ['restart it, since\n> the pooler is full', ['restart it, since\n> the pooler is full']],
  ['run\n```\nrestart pooler\n```', ['run\n```\nrestart pooler\n```']],
  ['restart pooler\n  and check lag', ['restart pooler\n  and check lag']],
] as const;

test.each(typed)('“%s” is one task for each line', async (line, wanted) => {
  const opened = await openIncident();
  const known = opened.place.reads(opened.alice, opened.home.id).length;
  await opened.type(`/task add ${line}`);
  expect(await texts(opened)).toEqual(wanted);
  const read = opened.place.reads(opened.alice, opened.home.id).slice(known);
  // The typist's answer, and the room's line.
  expect(read).toHaveLength(2);
});

test('an answer that is lost adds no task twice', async () => {
  const grafana = await openFakeGrafana();
  const opened = await openIncident({ settings: grafana.settings });
  grafana.fail({ when: /AddTask/, answer: 'hang up', afterEffect: true, times: 1 });
  await opened.type('/task add restart pooler\ncheck lag\ntell support');
  await expect.poll(() => texts(opened), { timeout: 30_000 }).toEqual(['restart pooler', 'check lag', 'tell support']);
  await opened.place.quiet();
  expect(await texts(opened)).toEqual(['restart pooler', 'check lag', 'tell support']);
});
