import type { JsonObject } from '../protocol/json.ts';
import type { Issues } from './issues.ts';

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
