import type { Life } from '../trouble/life.ts';

/** What a person does. */
export type ActKind =
  | 'declare'
  | 'ask for a form'
  | 'note'
  | 'edit'
  | 'message'
  | 'task'
  | 'done'
  | 'role'
  | 'severity'
  | 'resolve'
  | 'reopen'
  | 'pick'
  | 'change'
  | 'post'
  | 'record'
  | 'undo'
  | 'look'
  | 'call'
  | 'answer'
  | 'promise'
  | 'snooze'
  | 'page';

/** One arrival of an act at a replica. */
interface Arrived {
  readonly at: number;
  /** What the clock of the bot showed. */
  readonly clock: number;
  readonly life: Life;
  /** Slack sends it again, and whoever acknowledges it has stored it. */
  readonly isEvent: boolean;
  /** The HTTP status of the acknowledgement; undefined when none came. */
  status: number | undefined;
}

/** One thing that a person did once, with all that came of it. */
export interface Act {
  readonly number: number;
  readonly kind: ActKind;
  /** Slack id of who did it. */
  readonly userId: string;
  readonly name: string;
  /** What was typed or pressed, for the history. */
  readonly what: string;
  /** Stands in a text that it leaves behind; `""` for what leaves none. Several acts may want the same mark. */
  readonly mark: string;
  /** Mark of the incident that it is about; `""` for none. */
  readonly incident: string;
  /** Value it sets, or role and Slack id it gives; `""` otherwise. */
  readonly value: string;
  /** Moment and author a note must have, when they are not those of the act. */
  readonly original?: { readonly time: number; readonly userId: string } | undefined;
  readonly at: number;
  readonly arrivals: Arrived[];
  /** Keys under which the bot remembers that it was delivered. */
  readonly deliveries: Set<string>;
  /** Keys of the intents that were stored for it, and when. */
  readonly intents: Map<string, number>;
  /** What the person was answered. */
  readonly answers: { readonly at: number; readonly text: string }[];
}

/** The acts of a world. */
export class Acts {
  readonly all: Act[] = [];

  begin(act: Omit<Act, 'number' | 'arrivals' | 'deliveries' | 'intents' | 'answers'>): Act {
    const whole = {
      ...act,
      number: this.all.length + 1,
      arrivals: [],
      deliveries: new Set<string>(),
      intents: new Map(),
      answers: [],
    };
    this.all.push(whole);
    return whole;
  }
}

/** Whether Slack was told that the bot has it. */
export function isAcknowledged(act: Act): boolean {
  return act.arrivals.some(each => each.status === 200);
}

/** Whether a replica died over it before anything about it was stored or said: nobody can know of it then. */
export function isSwallowed(act: Act): boolean {
  const isUnknown = act.intents.size === 0 && act.answers.length === 0;
  return isUnknown && act.arrivals.some(each => !each.life.isAlive && !each.isEvent);
}

/** Whether a text has a mark in it. */
export function bears(text: string, mark: string): boolean {
  return mark !== '' && new RegExp(`\\b${mark}\\b`).test(text);
}
