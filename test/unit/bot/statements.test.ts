import { DatabaseSync, StatementSync } from 'node:sqlite';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openIncident } from '../../support/incident-room.ts';
import { openVirtualTime } from '../../support/virtual-time.ts';

/** What an act may cost, with all that follows from it: statements, and transactions of those. */
const costs = {
  note: { line: '/note add the cache is full', statements: 60, transactions: 6 },
  task: { line: '/task add fail over', statements: 65, transactions: 8 },
  severity: { line: '/incident severity major', statements: 75, transactions: 7 },
  role: { line: '/role assign me commander', statements: 85, transactions: 7 },
  resolve: { line: '/incident resolve --now', statements: 100, transactions: 9 },
} as const;

/** The statements that this process asks SQLite to run, as SQLite hears them. */
function hearStatements(): string[] {
  const heard: string[] = [];
  const texts = new WeakMap<StatementSync, string>();
  const { prepare, exec } = DatabaseSync.prototype;
  const spies = [
    vi.spyOn(DatabaseSync.prototype, 'prepare').mockImplementation(function (this: DatabaseSync, ...args) {
      const statement = Reflect.apply(prepare, this, args);
      texts.set(statement, args[0]);
      return statement;
    }),
    vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(function (this: DatabaseSync, text) {
      heard.push(text);
      return Reflect.apply(exec, this, [text]);
    }),
    ...(['all', 'get', 'run', 'iterate'] as const).map(name => {
      const run = StatementSync.prototype[name];
      return vi.spyOn(StatementSync.prototype, name).mockImplementation(function (
        this: StatementSync,
        ...args: never[]
      ) {
        heard.push(texts.get(this) ?? '');
        return Reflect.apply(run, this, args);
      } as never);
    }),
  ];
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore();
  });
  return heard;
}

test('an act reads each thing once: few statements, in few transactions, until its room shows it', async () => {
  // What is done once a second belongs to no act, and would fall into a slow one.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const heard = hearStatements();
  // No timer looks for what is due between the statements of an act.
  openVirtualTime(['setInterval', 'clearInterval']);
  const { type, place } = await openIncident();
  for (const line of ['/note add first', '/task add first', '/incident severity minor']) await type(line);
  for (const [act, { line, statements, transactions }] of Object.entries(costs)) {
    await place.quiet();
    heard.length = 0;
    await type(line);
    const all = heard.join('\n');
    const begun = heard.filter(each => each.startsWith('begin')).length;
    expect(heard.length, `statements of ${act}:\n${all}`).toBeLessThanOrEqual(statements);
    expect(begun, `transactions of ${act}:\n${all}`).toBeLessThanOrEqual(transactions);
    // Two statements in one would count as one.
    expect(heard.filter(each => /;\s*\S/.test(each))).toEqual([]);
  }
});
