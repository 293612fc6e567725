import { expect, test } from 'vitest';
import { openFakeGrafana } from '../support/fake-grafana.ts';
import { openIncident } from '../support/incident-room.ts';

const texts = async ({ incident }: Pick<Awaited<ReturnType<typeof openIncident>>, 'incident'>) =>
  (await incident()).taskList.tasks.map(
    ({ text, assignedUser }) => `${text}${assignedUser ? ` @${assignedUser.name}` : ''}`,
  );

test('an answer that is lost adds no task twice', async () => {
  const grafana = await openFakeGrafana();
  const opened = await openIncident({ settings: grafana.settings });
  grafana.fail({ when: /AddTask/, answer: 'hang up', afterEffect: true, times: 1 });
  await opened.type('/task add restart pooler\ncheck lag\ntell support');
  await expect.poll(() => texts(opened)).toEqual(['restart pooler', 'check lag', 'tell support']);
  await opened.place.quiet();
  expect(await texts(opened)).toEqual(['restart pooler', 'check lag', 'tell support']);
});
