import { posix } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Channel, Person } from '../../../playground/fake-slack/fake-slack.ts';
import { read } from '../../support/docs/files.ts';
import { openIncident } from '../../support/incident-room.ts';
import { watchFiles } from '../../support/ran.ts';
import { openInstalledSlack } from '../../support/workplace.ts';

/** Most files from the bytes of a command to its private answer: those that decide something, and all that run. */
const most = { deciding: 33, running: 42, fromMessage: 40 };

/** The layers that are walked. `contract/`, `db/`, `operations/` and the tables of numbers are below them or next to them. */
const walked = /^src\/(?:bot|client)\/(?!keep-for\.ts|slack\/limits\.ts)/;

/** What runs meanwhile and is not on the way to the private answer. */
const aside: readonly (readonly [what: RegExp, why: string])[] = [
  [/^src\/bot\/(?:bot|open-deps|slack\/connection)\.ts$/, 'the wiring'],
  [/^src\/bot\/doctor\//, 'the doctor notes what arrives'],
  [/^src\/bot\/(?:text|secrets)\//, 'pure: they read a text and touch nothing'],
  [/^src\/bot\/incident\/(?:lines|board)\//, 'the line in the room, and the card'],
  [/^src\/bot\/schema\//, 'the tables: their conditions are read, and nothing of them runs'],
  [
    /^src\/bot\/slack\/(?:answer|clients|rate-limit[\w-]*|slack-watch|web-fetch)\.ts$/,
    'the Web API, by which the assignee gets a message of their own',
  ],
];

/** The files in which something ran between the bytes of what Alice does in her incident's room and the private answer to it, as `bot/bot.ts`. */
async function walk(
  answer: string,
  act: (alice: Person, channel: Channel) => Promise<unknown>,
): Promise<readonly string[]> {
  // Loops that wake by an interval rest meanwhile, and no event comes together with the act.
  vi.useFakeTimers({ toFake: ['setInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const ownSlack = await openInstalledSlack(undefined, { events: [] });
  const { place, slack, alice, home } = await openIncident({ slack: ownSlack, clock: () => new Date() });
  await place.quiet();

  const filesThatRan = watchFiles();
  let walk: readonly string[] | undefined;
  onTestFinished(
    slack.watch(() => {
      if (place.lastRead(alice, home.id).includes(answer)) walk ??= filesThatRan();
    }),
  );
  filesThatRan();
  await act(alice, home);
  const files = await slack.until(() => walk);
  return files
    .filter(path => walked.test(path) && !aside.some(([what]) => what.test(path)))
    .map(path => path.slice('src/'.length));
}

/** The files of a column of the walk in docs/architecture.md. A name without a folder is in the folder of the one before it. */
function documented(column: 'deciding' | 'used'): readonly string[] {
  const table = read('docs/architecture.md').split('### One command, file by file')[1]?.split('\n\nA file')[0] ?? '';
  const cells = table.split('\n').flatMap(row => row.split('|')[column === 'deciding' ? 2 : 3] ?? []);
  let folder = '';
  return [...cells.join(' ').matchAll(/`([\w./-]+\.ts)`/g)].map(([, name = '']) => {
    if (name.includes('/')) folder = posix.dirname(name);
    return posix.join(folder, posix.basename(name));
  });
}

test('docs/architecture.md names each file that runs between a command and its private answer, and they are few', async () => {
  const files = await walk('task 1', (alice, home) => alice.command(home, '/task add fix it @bob'));
  const [deciding, used] = [documented('deciding'), documented('used')];
  expect([...deciding, ...used].toSorted()).toEqual(files);
  expect(deciding.length, deciding.join('\n')).toBeLessThanOrEqual(most.deciding);
  expect(files.length, files.join('\n')).toBeLessThanOrEqual(most.running);
});

test('a message that becomes a note walks through few files', async () => {
  const files = await walk('to the timeline of incident', (alice, home) =>
    alice.shortcut('add_timeline', alice.say(home, 'The queue is full')),
  );
  expect(files.length, files.join('\n')).toBeLessThanOrEqual(most.fromMessage);
});
