import { type Checked, type Pace, waitUntilHeld } from '../checks.ts';
import type { Tale } from '../story.ts';
import type { StoryView } from '../workspace/protocol.ts';

/** Milliseconds of a step at speed 1. */
const stepTime = 2000;

/** Tells a story: each deed waits for `beforeDeed`, and `check` runs each check. Rejects when one of them does. */
export type Perform = (
  tale: Tale,
  hooks: { readonly beforeDeed: BeforeDeed; readonly check: (claim: string, checked: Checked) => Promise<void> },
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

/** What a player plays with. */
interface PlayerParts {
  readonly perform: Perform;
  readonly system: Pace;
  /** Is called whenever the facts of the story change. */
  readonly changed: () => void;
}

/** Prepares a story. */
export function openPlayer(name: string, tale: Tale, { perform, system, changed }: PlayerParts): Player {
  const { clock } = system;
  const { promise: never } = Promise.withResolvers<void>();
  let steps: readonly string[] = tale.plot ?? [];
  let done = 0;
  let place: string | undefined;
  let speed = 1;
  let awaits: string | undefined;
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
    for (let began = clock.now().getTime(); ; ) {
      signal.throwIfAborted();
      const left = began + stepTime / speed - clock.now().getTime();
      if (at < target && (at < hurry || left <= 0)) return;
      if (at >= target) began = clock.now().getTime();
      const time = at < target ? clock.wait(left) : never;
      await Promise.race([moved.promise, time]);
    }
  }

  /** Pauses with the problem of a claim that did not come true in time. Resolves when somebody plays on. */
  async function stick(claim: string, problems: readonly string[], signal: AbortSignal): Promise<void> {
    problem = `This did not happen in time: ${claim} (${problems.join('; ')})`;
    target = hurry = 0;
    tell();
    while (done >= target) {
      await moved.promise;
      signal.throwIfAborted();
    }
  }

  async function check(claim: string, { act, look, within }: Checked, signal: AbortSignal): Promise<void> {
    try {
      await act?.();
    } catch (error) {
      signal.throwIfAborted();
      throw new Error(`${claim} But: ${error instanceof Error ? error.message : String(error)}`);
    }
    // A short wait is none of the reader's business.
    const waited = (milliseconds: number) => {
      if (awaits !== undefined || milliseconds < stepTime || signal.aborted) return;
      awaits = claim;
      tell();
    };
    for (;;) {
      const problems = await waitUntilHeld(look, system, { within, signal, waited });
      signal.throwIfAborted();
      awaits = undefined;
      if (problems.length === 0) return;
      await stick(claim, problems, signal);
    }
  }

  function begin(): void {
    const stop = new AbortController();
    const { signal } = stop;
    [done, place, awaits, problem] = [0, undefined, undefined, undefined];
    let at = 0;
    const before = run?.ended ?? Promise.resolve();
    const tellStory = async () => {
      await before;
      await perform(tale, {
        beforeDeed: (deed, where) => mayBegin(deed, where, at++, signal),
        check: (claim, checked) => check(claim, checked, signal),
      });
      done = steps.length;
    };
    const ended = tellStory()
      .catch((error: unknown) => {
        if (!signal.aborted) problem = error instanceof Error ? error.message : String(error);
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
      ...(awaits === undefined ? {} : { awaits }),
      ...(problem === undefined ? {} : { problem: { what: problem, goesOn: run !== undefined } }),
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
      if (done < target) problem = undefined;
      tell();
    },
    [Symbol.asyncDispose]: end,
  };
}
