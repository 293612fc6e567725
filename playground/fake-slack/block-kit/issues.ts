import { isJsonObject, type JsonObject } from '../protocol/json.ts';

/** Collects what is wrong with a payload, in Slack's words, each issue with its JSON pointer. */
export class Issues {
  readonly list: string[] = [];

  add(pointer: string, issue: string): void {
    this.list.push(`${issue} [json-pointer:${pointer}]`);
  }

  /** Checks a string member: present when required, and between `min` and `max` characters. */
  checkString(holder: JsonObject, member: string, pointer: string, limits: StringLimits): void {
    const value = holder[member];
    if (value === undefined || value === null) {
      if (limits.required) this.add(pointer, `missing required field: ${member}`);
      return;
    }
    if (typeof value !== 'string') {
      this.add(`${pointer}/${member}`, 'must provide a string');
      return;
    }
    if (value.length < (limits.min ?? 0)) {
      this.add(`${pointer}/${member}`, `must be more than ${(limits.min ?? 0) - 1} characters`);
    }
    if (value.length > limits.max) {
      this.add(`${pointer}/${member}`, `must be less than ${limits.max + 1} characters`);
    }
  }

  /** Checks that a member is a list of objects of the allowed length. Returns the objects with their pointers. */
  checkList(holder: JsonObject, member: string, pointer: string, limits: ListLimits): [JsonObject, string][] {
    const value = holder[member];
    const at = `${pointer}/${member}`;
    if (value === undefined || value === null) {
      if (limits.required) this.add(pointer, `missing required field: ${member}`);
      return [];
    }
    if (!Array.isArray(value)) {
      this.add(at, 'must be an array');
      return [];
    }
    if (value.length < (limits.min ?? 1)) this.add(at, `no less than ${limits.min ?? 1} items allowed`);
    if (value.length > limits.max) this.add(at, `no more than ${limits.max} items allowed`);
    const items: [JsonObject, string][] = [];
    value.forEach((item: unknown, index) => {
      if (isJsonObject(item)) items.push([item, `${at}/${index}`]);
      else this.add(`${at}/${index}`, 'should be an object');
    });
    return items;
  }

  /** Checks that an object has no members but the allowed ones. */
  checkMembers(holder: JsonObject, allowed: readonly string[], pointer: string): void {
    for (const member of Object.keys(holder)) {
      if (holder[member] !== undefined && !allowed.includes(member)) {
        this.add(pointer, `invalid additional property: ${member}`);
      }
    }
  }

  /** Checks that a member, where present, is one of the words. */
  checkWord(holder: JsonObject, member: string, words: readonly string[], pointer: string): void {
    const value = holder[member];
    if (value !== undefined && (typeof value !== 'string' || !words.includes(value))) {
      this.add(`${pointer}/${member}`, 'value must be one of the allowed enum values');
    }
  }
}

/** How long a string may be, in characters. */
export interface StringLimits {
  readonly max: number;
  readonly min?: number;
  readonly required?: boolean;
}

/** How many items a list may have; at least one unless `min` says otherwise. */
export interface ListLimits {
  readonly max: number;
  readonly min?: number;
  readonly required?: boolean;
}

/** Where blocks are shown. */
export type Surface = 'message' | 'modal' | 'home';

/** What Slack takes of one kind of block. */
export interface BlockRule {
  /** The members beside `type` and `block_id`. */
  readonly members: readonly string[];
  /** Where it may be; everywhere when absent. */
  readonly surfaces?: readonly Surface[];
  readonly check: (issues: Issues, block: JsonObject, pointer: string) => void;
}
