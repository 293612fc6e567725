import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { patient } from '../../support/deadlines.ts';
import { openFolder } from '../../support/folder.ts';
import { play } from '../../support/played.ts';
import { openProgram } from '../../support/program.ts';
import { columnsWith } from '../../support/stored-words.ts';
import { changing, declaring } from '../../support/tour/incidents.ts';
import { sameStory } from '../../support/tour/same-story.ts';
import { tour } from '../../support/tour/tour.ts';

test('the whole product is shown, and every step has its effect', async () => {
  const file = join(await openFolder(), 'muster.db');
  const { success, text } = await play({
    tale: { ...tour, settings: { ...tour.settings, DATABASE_URL: `sqlite:${file}` } },
    rateLimits: false,
  });
  expect(text.match(/^ +✗ {3}.*\n(?:.*\n){0,8}/gmu) ?? []).toEqual([]);
  expect(success).toBe(true);
  const [, steps] = /(\d+) of \1 checks passed/.exec(text) ?? [];
  expect(Number(steps)).toBeGreaterThan(80);
  for (const name of ['alice', 'bob']) await expectErasable(file, name);
});

/** Erases somebody after a life in which they did everything, and looks for them in each text of each table. */
async function expectErasable(file: string, name: string): Promise<void> {
  const id = slackIdOf(file, name);
  const traces = new RegExp(`${id}|${name}@|(?<![\\p{L}\\p{N}])${name}(?![\\p{L}\\p{N}])`, 'iu');
  expect(columnsWith(file, traces).length).toBeGreaterThan(5);
  const { said, run } = openProgram();
  await run('erase', '--database', `sqlite:${file}`, '--person', id);
  expect([name, columnsWith(file, traces)]).toEqual([name, []]);
  expect(said.printed, 'each table has a name for people').not.toMatch(/ (?:bot_)?[a-z]+_[a-z]+$/m);
}

function slackIdOf(file: string, name: string): string {
  using database = new DatabaseSync(file, { readOnly: true });
  return String(database.prepare('select user_id from bot_person where name = ?').get(name)?.user_id);
}

test('the tour fails where Slack does not show what the API says', async () => {
  const { success, text } = await play({
    tale: { ...tour, scenes: [declaring, changing, sameStory] },
    deadlines: patient({ playground: { check: 5000 } }),
    rateLimits: false,
    prepare: slack => slack.fail('chat.update', { error: 'cant_update_message' }, { times: 1000 }),
  });
  expect(success).toBe(false);
  expect(text).toContain('✗   Card, topic and announcement in Slack say what the API says.');
});
