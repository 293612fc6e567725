import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { type StateValues, toStateValue } from '../../fake-slack/block-kit/fields.ts';
import { type JsonObject, toText } from '../../fake-slack/protocol/json.ts';
import type { Json } from '../../workspace/protocol.ts';

/** How elements of one message or view hold their values and tell of their use. */
export interface ElementUse {
  readonly values: StateValues;
  /** Keeps a value. */
  readonly keep: (blockId: string, actionId: string, value: JsonObject) => void;
  /** Tells the app that the element was used. */
  readonly tell: (blockId: string, actionId: string, value: Json) => void;
}

/** Holds the use of the elements below it. */
export const ElementUseContext = createContext<ElementUse | undefined>(undefined);

/** Holds the id of the block that elements stand in, and whether it is an input that keeps its value to itself. */
export const BlockContext = createContext<{ readonly blockId: string; readonly isQuiet: boolean }>({
  blockId: '',
  isQuiet: false,
});

/** What an element does with its value. */
export interface ElementHandle {
  /** Slack's state of the element. */
  readonly state: JsonObject | undefined;
  /** Keeps a bare value; `undefined` empties it. Tells the app unless an input keeps it to itself. */
  readonly change: (value: unknown) => void;
  /** Tells the app of a use, whose state may be other than what is kept. */
  readonly tell: (value: Json) => void;
}

/** The handle of an element of the block around it. */
export function useElement(element: JsonObject): ElementHandle {
  const use = useContext(ElementUseContext);
  const { blockId, isQuiet } = useContext(BlockContext);
  if (use === undefined) throw new Error('blocks: an element stands outside ElementUseContext');
  const actionId = toText(element.action_id);
  return {
    state: use.values[blockId]?.[actionId],
    change(value) {
      const state = toStateValue(element, value);
      use.keep(blockId, actionId, state);
      if (!isQuiet) use.tell(blockId, actionId, state);
    },
    tell: value => use.tell(blockId, actionId, value),
  };
}
