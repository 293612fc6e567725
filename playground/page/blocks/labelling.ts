import type { JsonObject } from '../../fake-slack/protocol/json.ts';
import { wordsOf } from './inlines.ts';

/** How an element is named and described. */
export interface Labelling {
  /** The element's id, which a label names. */
  readonly id: string;
  /** The id of the label; absent when no label is shown. */
  readonly labelId?: string;
  /** The name where no label is shown. */
  readonly words: string;
  /** Ids of hint and error. */
  readonly describedBy?: string;
  readonly isInvalid: boolean;
  readonly isRequired: boolean;
}

/** The name of an element without a label: its placeholder or its kind. */
export function bareName(element: JsonObject): string {
  const kind = String(element.type).replaceAll('_', ' ');
  return wordsOf(element.placeholder) || kind.charAt(0).toUpperCase() + kind.slice(1);
}
