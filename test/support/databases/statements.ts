import { StatementSync } from 'node:sqlite';
import pg from 'pg';
import { onTestFinished, vi } from 'vitest';
import { engine } from './fresh.ts';

/** A statement as a database was asked it. */
interface Asked {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  /** Milliseconds of this thread's CPU, on SQLite; on Postgres the work is done elsewhere. */
  readonly cpu: number;
}

/**
 * Notes the statements that read or change rows and that Muster asks its databases from now on, whoever asks them, until the test ends: not
 * those that begin, end or lock. `hear` gets each when it has been asked.
 */
export function watchStatements(hear: (asked: Asked) => void): void {
  const isOfRows = (sql: string) =>
    /^\s*(select|insert|update|delete|with)\b/i.test(sql) && !/\bpg_(try_)?advisory/.test(sql);
  if (engine === 'postgres') {
    const query = pg.Client.prototype.query as (...given: unknown[]) => unknown;
    const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
      this: pg.Client,
      ...given: unknown[]
    ) {
      const [first, values] = given as [string | { text: string; values?: unknown[] }, unknown[] | undefined];
      const sql = typeof first === 'string' ? first : first.text;
      const parameters = (typeof first === 'string' ? values : first.values) ?? [];
      if (isOfRows(sql)) hear({ sql, parameters, cpu: 0 });
      return query.apply(this, given);
    } as never);
    onTestFinished(() => spy.mockRestore());
    return;
  }
  for (const way of ['all', 'get', 'run', 'iterate'] as const) {
    const run = StatementSync.prototype[way] as (...values: unknown[]) => unknown;
    const spy = vi.spyOn(StatementSync.prototype, way).mockImplementation(function (
      this: StatementSync,
      ...parameters: unknown[]
    ) {
      const before = process.threadCpuUsage();
      const answer = run.apply(this, parameters);
      const { user, system } = process.threadCpuUsage(before);
      if (isOfRows(this.sourceSQL)) hear({ sql: this.sourceSQL, parameters, cpu: (user + system) / 1000 });
      return answer;
    } as never);
    onTestFinished(() => spy.mockRestore());
  }
}
