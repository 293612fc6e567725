import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { isJsonObject, type JsonObject, toObjects, toText } from '../../fake-slack/protocol/json.ts';
import { MenuButton } from '../menu.ts';
import { safeAddress } from './address.ts';
import { useConfirm } from './confirm.ts';
import { useElement } from './element-use.ts';
import { Text } from './inlines.ts';

interface ElementProps {
  readonly element: JsonObject;
}

/** Opens an address beside this page. The page stays. */
function openAddress(url: unknown): void {
  const href = safeAddress(url);
  if (href !== undefined) window.open(href, '_blank', 'noopener,noreferrer');
}

/** A button. One with an address opens it and tells the app too, as Slack does. */
export function Button({ element }: ElementProps): VNode {
  const handle = useElement(element);
  const { guard, dialog } = useConfirm(element);
  const style = element.style === 'primary' || element.style === 'danger' ? ` ${element.style}` : '';
  const press = (): void => {
    openAddress(element.url);
    handle.tell(toText(element.value) === '' ? {} : { value: element.value });
  };
  const isLink = safeAddress(element.url) !== undefined;
  return html`<button
      type="button"
      class=${`button${style}`}
      aria-label=${toText(element.accessibility_label) || undefined}
      title=${isLink ? toText(element.url) : undefined}
      onClick=${() => guard(press)}
    ><span class="button-text"><${Text} object=${element.text} /></span></button>${dialog}`;
}

/** The menu behind three dots. */
export function Overflow({ element }: ElementProps): VNode {
  const handle = useElement(element);
  const { guard, dialog } = useConfirm(element);
  const entries = toObjects(element.options).map(option => ({
    name: html`<${Text} object=${option.text} />${describe(option)}`,
    choose: () =>
      guard(() => {
        openAddress(option.url);
        handle.tell({ type: 'overflow', selected_option: option });
      }),
  }));
  return html`<span class="overflow">
    <${MenuButton} label="More options" sign="⋯" look="button icon" entries=${entries} />${dialog}
  </span>`;
}

/** The description under an option's text. */
export function describe(option: JsonObject): VNode | null {
  return isJsonObject(option.description)
    ? html`<span class="option-description"><${Text} object=${option.description} /></span>`
    : null;
}
