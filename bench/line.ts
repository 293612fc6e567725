import { fork } from 'node:child_process';
import { once } from 'node:events';
import { sql } from 'kysely';
import { openDatabase } from '../src/db/database.ts';
import { interleave, keepsLimit, median, type Row } from './measure.ts';

/** How far the round trip of a line may be from what was asked, in milliseconds. */
const tolerance = 0.25;
const perRound = 100;
const rounds = 15;
/** Unmeasured rounds, in which the line learns how late its thread wakes. */
const warmUp = 3;

/** A line to a server of this machine, on which a way and back takes longer. Disposing ends it. */
export interface Line extends AsyncDisposable {
  readonly port: number;
  /** How long a way and back should take, in milliseconds. */
  readonly asked: number;
  /** How long a way and back took on the line since the last call, in milliseconds. */
  used(): Promise<number>;
}

/** Opens a line of so many milliseconds to a port. */
export async function openLine(port: number, asked: number): Promise<Line> {
  const child = fork(new URL('./line-process.ts', import.meta.url), [String(port), String(asked)]);
  const hear = async () => Number((await once(child, 'message'))[0]);
  return {
    port: await hear(),
    asked,
    used: async () => {
      child.send('used');
      return await hear();
    },
    [Symbol.asyncDispose]: async () => {
      const exited = once(child, 'exit');
      child.kill();
      await exited;
    },
  };
}

/**
 * How much longer a `select 1` takes at an address on a line than at the direct one, in milliseconds: the medians of the quickest round of
 * each, since the other work of a machine only adds to them.
 */
export async function lineTime(direct: string, far: string): Promise<number> {
  await using here = await openDatabase(direct);
  await using there = await openDatabase(far);
  const ask = async (database: typeof here) => {
    const times: number[] = [];
    for (let index = 0; index < perRound; index += 1) {
      const began = performance.now();
      await sql`select 1`.execute(database.as());
      times.push(performance.now() - began);
    }
    return median(times);
  };
  const measure = { baseline: () => ask(here), subject: () => ask(there) };
  await interleave(warmUp, measure);
  const pairs = await interleave(rounds, measure);
  return Math.min(...pairs.map(each => each.subject)) - Math.min(...pairs.map(each => each.baseline));
}

/**
 * The rows of a measurement behind a line, after two of the line itself: how long a `select 1` takes on it before the measurement, which
 * `idle` tells, and how long a way and back took during it. When one of them is not what was asked, the rows would be about another
 * line, and so none follows.
 */
export async function* behindLine(
  { asked, used }: Pick<Line, 'asked' | 'used'>,
  idle: () => Promise<number>,
  measure: () => Promise<readonly Row[]>,
): AsyncIterable<Row> {
  const toRow = (name: string, subject: number): Row => ({
    ...{ name, ratio: subject / asked, limit: tolerance / asked, bound: 'within' },
    ...{
      baseline: asked,
      subject,
      unit: 'ms',
      whenMissed: 'another line than was asked, so nothing is reported behind it',
    },
  });
  const before = toRow('line', await idle());
  yield before;
  if (!keepsLimit(before)) return;
  await used();
  const rows = await measure();
  const meanwhile = toRow('line-used', await used());
  yield meanwhile;
  if (keepsLimit(meanwhile)) yield* rows;
}
