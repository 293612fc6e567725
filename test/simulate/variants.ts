import type { WorldOptions } from './world.ts';

const everything = { api: true, slack: true, refusals: true, database: true, steps: true, kills: true };

/** The worlds of a name; without one, those in which the bot is as it is. */
export function findVariant(name: string | undefined): WorldOptions {
  const off = { api: false, slack: false, refusals: false, database: false, steps: false, kills: false };
  if (name === undefined) return { troubles: everything };
  const on = name.split(',');
  return { troubles: Object.fromEntries(Object.keys(off).map(each => [each, on.includes(each)])) as typeof off };
}
