import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { isJsonObject, type JsonObject, toObjects, toText } from '../../../fake-slack/protocol/json.ts';
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
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLSpanElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const id = useId();
  const items = (): HTMLElement[] => [...(root.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])];
  // An effect after the paint would take the focus back from a key that closed the menu at once.
  useLayoutEffect(() => {
    if (isOpen) items()[0]?.focus();
  }, [isOpen]);
  const close = (): void => {
    setOpen(false);
    opener.current?.focus();
  };
  const choose = (option: JsonObject): void => {
    close();
    guard(() => {
      openAddress(option.url);
      handle.tell({ type: 'overflow', selected_option: option });
    });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!isOpen) return;
    if (event.key === 'Escape') {
      event.stopPropagation();
      event.preventDefault();
      close();
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const all = items();
    const at = all.indexOf(document.activeElement as HTMLElement);
    all[(at + step + all.length) % all.length]?.focus();
  };
  const onFocusOut = (event: FocusEvent): void => {
    if (!root.current?.contains(event.relatedTarget as Node | null)) setOpen(false);
  };
  return html`<span class="overflow" ref=${root} onKeyDown=${onKeyDown} onFocusOut=${onFocusOut}>
    <button ref=${opener} type="button" class="button icon" aria-label="More options" aria-haspopup="menu"
      aria-expanded=${String(isOpen)} aria-controls=${isOpen ? id : undefined}
      onClick=${() => setOpen(!isOpen)}><span aria-hidden="true">⋯</span></button>
    ${
      isOpen &&
      html`<span class="popup menu" role="menu" id=${id} aria-label="More options">${toObjects(element.options).map(
        option =>
          html`<button type="button" class="popup-item" role="menuitem" tabindex="-1" onClick=${() => choose(option)}>
            <${Text} object=${option.text} />${describe(option)}
          </button>`,
      )}</span>`
    }${dialog}
  </span>`;
}

/** The description under an option's text. */
export function describe(option: JsonObject): VNode | null {
  return isJsonObject(option.description)
    ? html`<span class="option-description"><${Text} object=${option.description} /></span>`
    : null;
}
