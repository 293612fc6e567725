import type { Act, AlertEvent, FaultName, Told } from './protocol.ts';

/** What a page is told of the parts behind the workspace. */
export type BackstageTold = Extract<Told, { kind: 'system' | 'wire' | 'journal' | 'stories' }>;

/** What a person asks of a story. */
export type StoryAct = Extract<Act, { do: 'story' }>;

/** The parts behind the workspace: processes, faults and stories. */
export interface Backstage {
  /** Tells how everything is, and then each change. Returns what ends that. */
  follow(tell: (told: BackstageTold) => void): () => void;
  /** Breaks something, or repairs it. */
  setFault(name: FaultName, isOn: boolean): Promise<void>;
  /** Sends alerts to the bot; `act` throws a sentence where nothing can happen. Absent where there is none. */
  readonly watchdog?: { act(event: AlertEvent): void };
  /** Acknowledges a page in the name of a person; throws a sentence where there is none that waits. Absent where there is no pager. */
  readonly pager?: { acknowledge(key: string, by: string): void };
  /** Plays a story, or stops it. Absent where there are no stories. */
  playStory?(act: StoryAct): Promise<void>;
}

/** Lines of the wire that a new page gets. */
const firstLines = 200;

/** The last word of each part behind the workspace. It follows them only while somebody follows it. */
export class BackstageView {
  readonly #backstage: Backstage;
  readonly #listeners = new Set<(told: BackstageTold) => void>();
  readonly #last = new Map<string, BackstageTold>();
  #end: (() => void) | undefined;

  constructor(backstage: Backstage) {
    this.#backstage = backstage;
  }

  /** How everything is: each part once, and the last lines of the wire. */
  get now(): readonly BackstageTold[] {
    return [...this.#last.values()];
  }

  /** Calls the listener at each change. Returns what ends that. */
  follow(listener: (told: BackstageTold) => void): () => void {
    this.#listeners.add(listener);
    this.#end ??= this.#backstage.follow(told => this.#take(told));
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#end?.();
      this.#end = undefined;
      this.#last.clear();
    };
  }

  #take(told: BackstageTold): void {
    this.#last.set(told.kind === 'wire' ? `wire ${told.line.id}` : told.kind, told);
    if (told.kind === 'wire') this.#last.delete(`wire ${told.line.id - firstLines}`);
    for (const listener of this.#listeners) listener(told);
  }
}
