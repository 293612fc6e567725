import fc from 'fast-check';
import { test } from 'vitest';
import { isLong } from '../../support/length.ts';
import { requests } from './requests.ts';
import { openWorld } from './world.ts';

/** A failing run prints its own seed and path; with the seed in the environment, the same requests are made again. */
const seed = Number(process.env.MUSTER_SEED ?? 20_260_919);
const perRun = 100;
const runs = isLong ? 200 : 25;

/** The requests themselves would fill the screen; the last one is in the message of what went wrong. */
function reporter<T>({ failed, errorInstance, counterexamplePath }: fc.RunDetails<T>): void {
  if (!failed) return;
  throw new Error(`with seed ${seed} and path ${counterexamplePath}: ${errorInstance}`, { cause: errorInstance });
}

test(`${runs * perRun} hostile requests get no 5xx, no false answer and no half-done change (MUSTER_SEED=${seed})`, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(requests, { minLength: perRun, maxLength: perRun, size: 'max' }), async all => {
      await using world = await openWorld();
      for (const each of all) await world.send(each);
      await world.inspect();
    }),
    { seed, numRuns: runs, endOnFailure: true, reporter },
  );
});
