import { expect, test } from 'vitest';
import { read } from '../support/docs/files.ts';
import { openOutage } from '../support/outage-room.ts';

/** The keys that docs/operating.md explains. */
function documented(): readonly string[] {
  const [, rest = ''] = read('docs/operating.md').split('\n| key | is |\n');
  const rows = [...(rest.split('\n\n')[0] ?? '').matchAll(/^\| (`.+?) \|/gm)].map(match => match[1] ?? '');
  return rows.flatMap(row => [...row.matchAll(/`(\w+)`/g)].map(match => match[1] ?? ''));
}

test('what the log says of an incident and of changes that wait has the keys that operators are told of', async () => {
  const { slack, alice, place, general, goAway, comeBack, act } = await openOutage();
  await act(() => alice.command(general, '/incident declare Disk is full --now'));
  slack.fail('conversations.setTopic', { error: 'missing_scope' });
  goAway();
  await act(() => alice.command(slack.channel('inc-1-disk-is-full'), '/task add fail over'));
  await comeBack();
  const lines = place.logged.map(line => JSON.parse(line));
  const keys = new Set(lines.flatMap(line => Object.keys(line)));
  expect(lines.find(line => line.msg === 'journal: intent queued')).toMatchObject({
    level: 'warn',
    ...{
      intent: expect.any(String),
      kind: 'task.add',
      subject: '1',
      attempts: 1,
      err: { message: expect.any(String) },
    },
  });
  expect([...keys].toSorted()).toEqual(expect.arrayContaining(['err', 'intent', 'kind', 'port', 'subject']));
  const known = ['level', 'time', 'msg', ...documented()];
  expect([...keys].filter(key => !known.includes(key))).toEqual([]);
});
