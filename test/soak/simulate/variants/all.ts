import { actVariants } from './acts.ts';
import { alertVariants } from './alerts.ts';
import { dayVariants } from './days.ts';
import { laterVariants } from './later.ts';
import { roomVariants } from './rooms.ts';
import { runningVariants } from './running.ts';
import { everyTrouble, none, type Variants, type WorldOptions } from './variant.ts';

/** The running of incidents, on. */
const running = { calls: 1, promises: 1, pages: 1 };

/** Every variant. */
export const variants: Variants = {
  ...actVariants,
  ...roomVariants,
  ...laterVariants,
  ...alertVariants,
  ...runningVariants,
  ...dayVariants,
};

/** The worlds of a name: a variant, or a comma list of troubles; without one, those in which everything befalls the bot as it is. */
export function findVariant(name: string | undefined): WorldOptions {
  if (name === undefined) return { troubles: everyTrouble, variant: {} };
  const known = variants[name];
  if (known) return known;
  const on = Object.entries({ ...everyTrouble, duties: 1, aftermath: 1, alerts: 1, ...running, days: 1 }).filter(
    ([each]) => name.split(',').includes(each),
  );
  return { troubles: { ...none, ...Object.fromEntries(on) }, variant: {} };
}
