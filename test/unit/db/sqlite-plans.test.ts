import { DatabaseSync } from 'node:sqlite';
import { expect, test, vi } from 'vitest';
import { down, lost, openOne, pass } from '../../support/journal-world.ts';

/** Every statement that SQLite is given from now on. */
function watchStatements(): ReadonlySet<string> {
  const statements = new Set<string>();
  const prepare = DatabaseSync.prototype.prepare;
  vi.spyOn(DatabaseSync.prototype, 'prepare').mockImplementation(function (this: DatabaseSync, statement, options) {
    statements.add(statement);
    return prepare.call(this, statement, options);
  });
  return statements;
}

/** The ways in which a statement looks for rows of the journal, as SQLite says them. */
function readPlan(database: DatabaseSync, statement: string): readonly string[] {
  const plan = database.prepare(`explain query plan ${statement}`).all();
  return plan.map(({ detail }) => String(detail)).filter(detail => /\b(?:bot_intent|head)\b/.test(detail));
}

/** A plan that looks at each intent that has ended, however long ago. */
const growing =
  /^SCAN (?:bot_intent|head)(?! USING INDEX bot_intent_(?:lane|untold|leased|postponed)\b)|bot_intent_changed/;

test('no statement of the journal’s work takes longer as more has ended', async () => {
  const { world, url, start, ...one } = await openOne();
  const statements = watchStatements();
  const other = await start();
  for (const text of ['a', 'b', 'c']) {
    world.script.set(text, [down, lost]);
    await one.write(text, text, { subject: text, causes: [{ text: `after ${text}` }] });
  }
  await one.submit('set', 'set', 'set');
  world.script.set('count', [lost]);
  await one.submit('count', 'count', 'count');
  world.script.set('open', [down]);
  const opened = await one.open('open', 'open');
  for (let turn = 0; turn < 5; turn += 1) {
    pass(world, 30_000);
    await one.wake();
    await one.catchUp();
    await other.catchUp();
  }
  await one.journal.unregistered();
  await one.journal.told([opened.id]);
  await one.journal.stop(0);
  expect(one.told.flat().length + other.told.flat().length).toBeGreaterThan(3);

  const database = new DatabaseSync(url.replace(/^sqlite:/, ''), { readOnly: true });
  const asked = [...statements].filter(
    each => /^\s*(?:select|update|delete|with)\b/.test(each) && /\bbot_intent\b/.test(each),
  );
  expect(asked.length).toBeGreaterThan(10);
  const plans = asked.map(statement => ({ statement, plan: readPlan(database, statement) }));
  database.close();
  expect(plans.filter(({ plan }) => plan.some(each => growing.test(each)))).toEqual([]);
});
