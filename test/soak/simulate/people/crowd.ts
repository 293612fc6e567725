import type { Message } from '../../../../playground/fake-slack/fake-slack.ts';

/** An incident as those who declared it know it. */
export interface Declared {
  readonly mark: string;
  readonly isPrivate: boolean;
}

/** A message to the bot that is a note, and how often it was edited. */
interface Mention {
  readonly mark: string;
  readonly incident: string;
  readonly message: Message;
  edits: number;
}

/** The words of a message that its author has edited, up to the number of the edit. */
export const corrected = /put right \d+/;

/** What the people of a workplace know together. */
export class Crowd {
  readonly declared: Declared[] = [];
  readonly mentions: Mention[] = [];
  readonly tasks: { readonly mark: string; readonly incident: string }[] = [];
  /** Changes of what others may change too, each with the name of who made it. */
  readonly changes: { readonly line: string; readonly incident: Declared; readonly name: string }[] = [];
  /** Roles that were given, each to one person once. */
  readonly roles = new Set<string>();
  #marks = 100;

  /** A word that stands nowhere yet, and is not how another one begins: a task is found by its first letters. */
  nextMark(): string {
    this.#marks += 1;
    return `m${this.#marks}`;
  }
}
