import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useId } from 'preact/hooks';
import { type JsonObject, toText } from '../../../fake-slack/protocol/json.ts';
import { Button, FeedbackButtons, IconButton, Overflow } from './buttons.ts';
import { Choices } from './choices.ts';
import { FileInput } from './file-input.ts';
import { Image } from './image.ts';
import { Text } from './inlines.ts';
import { bareName, type Labelling, useFocusOnLoad } from './labelling.ts';
import { Picker } from './pickers.ts';
import { Select } from './select.ts';
import { TextInput } from './text-inputs.ts';
import { Unknown } from './unknown.ts';

/** The label that an input block gives its element. */
export type GivenLabel = Omit<Labelling, 'focusRef' | 'words'>;

/** Shows a block element. In an input block it gets the block's label. */
export function Element({ element, given }: { readonly element: JsonObject; readonly given?: GivenLabel }): VNode {
  const id = useId();
  const focusRef = useFocusOnLoad(element);
  const bare = { id, isInvalid: false, isRequired: false };
  const label: Labelling = { ...(given ?? bare), words: bareName(element), focusRef };
  switch (element.type) {
    case 'plain_text':
    case 'mrkdwn':
      return html`<span class="context-text"><${Text} object=${element} /></span>`;
    case 'image':
      return html`<${Image} image=${element} isSmall />`;
    case 'button':
    case 'workflow_button':
      return html`<${Button} element=${element} />`;
    case 'icon_button':
      return html`<${IconButton} element=${element} />`;
    case 'feedback_buttons':
      return html`<${FeedbackButtons} element=${element} />`;
    case 'overflow':
      return html`<${Overflow} element=${element} />`;
    case 'checkboxes':
    case 'radio_buttons':
      return html`<${Choices} element=${element} label=${label} />`;
    case 'datepicker':
    case 'timepicker':
    case 'datetimepicker':
      return html`<${Picker} element=${element} label=${label} />`;
    case 'plain_text_input':
    case 'email_text_input':
    case 'url_text_input':
    case 'number_input':
    case 'rich_text_input':
      return html`<${TextInput} element=${element} label=${label} />`;
    case 'file_input':
      return html`<${FileInput} element=${element} label=${label} />`;
    default:
      if (toText(element.type).endsWith('_select')) return html`<${Select} element=${element} label=${label} />`;
      return html`<${Unknown} kind="element" json=${element} />`;
  }
}
