import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { createContext } from 'preact';
import { useContext, useId } from 'preact/hooks';
import { type JsonObject, toObject, toText } from '../../fake-slack/protocol/json.ts';
import { Element, type GivenLabel } from './element.ts';
import { BlockContext } from './element-use.ts';
import { Text } from './inlines.ts';

/** Holds the errors under the inputs below it, by block id. */
export const ErrorsContext = createContext<Readonly<Record<string, string>>>({});

/** An input block: label, element, hint and error. */
export function InputBlock({ block }: { readonly block: JsonObject }): VNode {
  const id = useId();
  const blockId = toText(block.block_id);
  const error = useContext(ErrorsContext)[blockId];
  const element = toObject(block.element);
  const isOptional = block.optional === true;
  const hint = block.hint === undefined ? undefined : `${id}-hint`;
  const errorId = error === undefined ? undefined : `${id}-error`;
  const describedBy = [errorId, hint].filter(each => each !== undefined).join(' ');
  const given: GivenLabel = {
    id: `${id}-field`,
    labelId: `${id}-label`,
    isInvalid: error !== undefined,
    isRequired: !isOptional,
    ...(describedBy === '' ? {} : { describedBy }),
  };
  const isGroup = element.type === 'checkboxes';
  const words = html`<${Text} object=${block.label} />${isOptional && html` <span class="optional">(optional)</span>`}`;
  const label = isGroup
    ? html`<span class="label" id=${given.labelId}>${words}</span>`
    : html`<label class="label" id=${given.labelId} for=${given.id}>${words}</label>`;
  return html`<div class=${error === undefined ? 'input-block' : 'input-block wrong'}>
    ${label}
    <${BlockContext.Provider} value=${{ blockId, isQuiet: true }}>
      <${Element} element=${element} given=${given} />
    </${BlockContext.Provider}>
    ${error !== undefined && html`<div class="error" id=${errorId}>${error}</div>`}
    ${hint !== undefined && html`<div class="hint" id=${hint}><${Text} object=${block.hint} /></div>`}
  </div>`;
}
