import { takeNumber } from '../service/store/counters.ts';
import type { CounterName, Db } from '../service/store/tables.ts';
import { parseTime } from '../service/store/time.ts';

/** The largest number of an id that an import keeps. Larger ones would leave no room for new ids. */
export const maxKeptNumber = 100_000_000;

/** Makes sure that the next number of a counter is above `least`. */
export async function raiseNumber(db: Db, name: CounterName, least: number): Promise<void> {
  await db.updateTable('counter').set({ value: least }).where('name', '=', name).where('value', '<', least).execute();
}

/**
 * The number under which an imported thing is stored: `wanted` when an import keeps it and it is free, else the counter's next
 * free one above `highest`.
 */
export async function keepOrTake(
  db: Db,
  name: CounterName,
  wanted: number,
  isTaken: (number: number) => Promise<boolean>,
  highest = 0,
): Promise<number> {
  if (wanted >= 1 && wanted <= maxKeptNumber && !(await isTaken(wanted))) {
    await raiseNumber(db, name, wanted);
    return wanted;
  }
  await raiseNumber(db, name, highest);
  for (;;) {
    const next = await takeNumber(db, name);
    if (!(await isTaken(next))) return next;
  }
}

/** The number in an id of our own form, such as `task-7`; 0 for any other id, and for one that is too large to keep. */
export function toOwnNumber(id: string, prefix: 'task' | 'activity-item'): number {
  const digits = id.startsWith(`${prefix}-`) ? id.slice(prefix.length + 1) : '';
  const number = /^[1-9]\d{0,9}$/.test(digits) ? Number(digits) : 0;
  return number <= maxKeptNumber ? number : 0;
}

/** Rows of one statement. Databases limit its parameters. */
const rowsAtOnce = 500;

/** The rows of one statement after another. */
export function* inPieces<Row>(rows: readonly Row[]): Generator<readonly Row[]> {
  for (let at = 0; at < rows.length; at += rowsAtOnce) yield rows.slice(at, at + rowsAtOnce);
}

/** A time that the format has already checked. */
export function toMicrosOrThrow(text: string): number {
  const time = parseTime(text);
  if (time === undefined) throw new Error(`${JSON.stringify(text)} is not a time`);
  return time;
}
