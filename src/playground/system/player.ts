import { setTimeout as wait } from 'node:timers/promises';
import type { Checks } from '../checks.ts';
import type { Tale } from '../story.ts';
import type { StoryView } from '../workspace/protocol.ts';

/** Milliseconds of a step at speed 1. */
const stepTime = 2000;

/** How a story is told: its deeds wait for `beforeDeed`, its checks are run by `check`. Rejects when `beforeDeed` does, and when it is stopped. */
export type Perform = (
  tale: Tale,
  hooks: Pick<Checks, 'check'> & { readonly beforeDeed: BeforeDeed; readonly signal: AbortSignal },
) => Promise<void>;
type BeforeDeed = (deed: string, place?: string) => Promise<void>;

/** What somebody asks of a player. */
interface PlayerCommand {
  readonly command: 'play' | 'pause' | 'step' | 'restart';
  readonly speed?: number | undefined;
  /** With `play` and `restart`: plays at once until so many steps are done, then pauses. */
  readonly upTo?: number | undefined;
}

/** A story in the workspace, played deed by deed. Disposing stops it before its next deed. */
export interface Player extends AsyncDisposable {
  facts(): StoryView;
  command(command: PlayerCommand): void;
}

/** Prepares a story. `changed` is called whenever its facts change. */
export function openPlayer(name: string, tale: Tale, perform: Perform, changed: () => void): Player {
  const { promise: never } = Promise.withResolvers<void>();
  let steps: readonly string[] = tale.plot ?? [];
  let done = 0;
  let place: string | undefined;
  let speed = 1;
  let problem: string | undefined;
  /** The number of steps after which it pauses. */
  let target = 0;
  /** The number of steps up to which it does not wait. */
  let hurry = 0;
  let run: { readonly stop: AbortController; readonly ended: Promise<void> } | undefined;
  let moved = Promise.withResolvers<void>();

  function tell(): void {
    moved.resolve();
    moved = Promise.withResolvers<void>();
    changed();
  }

  async function mayBegin(deed: string, where: string | undefined, at: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    done = at;
    place = where ?? place;
    if (steps[at] === undefined) steps = steps.toSpliced(at, 1, deed);
    tell();
    for (let began = performance.now(); ; ) {
      signal.throwIfAborted();
      const left = began + stepTime / speed - performance.now();
      if (at < target && (at < hurry || left <= 0)) return;
      if (at >= target) began = performance.now();
      const time = at < target ? wait(left, undefined, { ref: false }) : never;
      await Promise.race([moved.promise, time]);
    }
  }

  function begin(): void {
    const stop = new AbortController();
    [done, problem, place] = [0, undefined, undefined];
    let at = 0;
    const before = run?.ended ?? Promise.resolve();
    const tellStory = async () => {
      await before;
      await perform(tale, {
        signal: stop.signal,
        beforeDeed: (deed, where) => mayBegin(deed, where, at++, stop.signal),
        check: async (claim, work) => {
          const problems: string[] = [];
          try {
            await work((isSo, expected) => void (isSo || problems.push(`expected: ${expected}`)));
          } catch (error) {
            stop.signal.throwIfAborted();
            problems.push(error instanceof Error ? error.message : String(error));
          }
          if (problems.length > 0) problem ??= `${claim} But: ${problems.join('; ')}.`;
        },
      });
      [done, target] = [steps.length, 0];
    };
    const ended = tellStory()
      .catch((error: unknown) => {
        if (!stop.signal.aborted) problem ??= error instanceof Error ? error.message : String(error);
      })
      .finally(() => {
        if (run?.stop !== stop) return;
        run = undefined;
        target = 0;
        tell();
      });
    run = { stop, ended };
  }

  async function end(): Promise<void> {
    run?.stop.abort();
    tell();
    await run?.ended;
  }

  return {
    facts: () => ({
      name,
      title: tale.title,
      steps,
      done,
      isPlaying: run !== undefined && done < target,
      speed,
      ...(place === undefined ? {} : { place }),
      ...(problem === undefined ? {} : { problem }),
    }),
    command: ({ command, speed: wanted, upTo }) => {
      if (wanted !== undefined) speed = wanted;
      if (command === 'restart') {
        run?.stop.abort();
        tell();
        begin();
      } else if (command !== 'pause' && run === undefined) begin();
      if (command === 'pause') target = hurry = 0;
      else if (command === 'step') target = hurry = done + 1;
      else {
        target = upTo ?? Number.POSITIVE_INFINITY;
        hurry = upTo ?? 0;
      }
      tell();
    },
    [Symbol.asyncDispose]: end,
  };
}
