import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { notesOf, openIncident } from '../support/incident-room.ts';
import { phrases } from '../support/phrases.ts';
import { openWorkplace } from '../support/workplace.ts';

test('the name of somebody who was looked up once is known to the timeline, also after a restart', async () => {
  const databaseFile = join(await mkdtemp(join(tmpdir(), 'muster-test-')), 'muster.db');
  onTestFinished(() => rm(dirname(databaseFile), { recursive: true, force: true }));
  const first = await openIncident({ databaseFile });
  const { slack, bob } = first;
  await first.type('/note add I look into it', bob);
  await first.place[Symbol.asyncDispose]();
  const place = await openWorkplace({ databaseFile, slack, clock: first.now });
  await place.quiet();
  const said = bob.say(first.home, 'It is the log');
  slack.fail('users.info', { error: 'internal_error' }, { times: 50, when: args => args.user === bob.id });
  await first.alice.shortcut('add_timeline', said);
  await place.quiet();
  const [, note] = await notesOf(place, '1');
  expect(note?.body).toContain(`It is the log\n\n${phrases.saidByBob}`);
});
