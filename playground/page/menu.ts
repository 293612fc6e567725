import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** An entry of a menu. */
export interface MenuEntry {
  readonly name: VNode | string;
  readonly isDanger?: boolean;
  readonly choose: () => unknown;
}

/** A menu that opens from a button: arrow keys move, Enter chooses, Escape or leaving it closes it. */
export function Menu(props: {
  readonly label: string;
  readonly entries: readonly MenuEntry[];
  readonly onClose: () => void;
}): VNode {
  const { label, entries, onClose } = props;
  const menu = useRef<HTMLDivElement>(null);
  const items = (): HTMLElement[] => [...(menu.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])];
  // An effect after the paint would take the focus back from a key that closed the menu at once.
  useLayoutEffect(() => {
    menu.current?.scrollIntoView({ block: 'nearest' });
    items()[0]?.focus({ preventScroll: true });
    const onPress = (event: PointerEvent): void => {
      if (event.target instanceof Node && !menu.current?.parentElement?.contains(event.target)) onClose();
    };
    addEventListener('pointerdown', onPress);
    return () => removeEventListener('pointerdown', onPress);
  }, []);
  const onKey = (event: KeyboardEvent): void => {
    const all = items();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1 + all.length, Home: 0, End: all.length - 1 }[event.key];
    if (next !== undefined) {
      event.preventDefault();
      all[next % all.length]?.focus();
    } else if (event.key === 'Escape' || event.key === 'Tab') {
      event.preventDefault();
      event.stopPropagation();
      onClose();
    }
  };
  return html`<div class="menu" role="menu" aria-label=${label} ref=${menu} onKeyDown=${onKey}>
    ${entries.map(
      ({ name, isDanger, choose }) => html`<button type="button" role="menuitem" tabindex="-1"
        class=${isDanger ? 'menu-item danger' : 'menu-item'} onClick=${() => {
          onClose();
          choose();
        }}>${name}</button>`,
    )}
  </div>`;
}

/** A button that opens a menu, and has the focus again once that is closed. */
export function MenuButton(props: {
  readonly label: string;
  readonly sign: string;
  readonly look: 'icon-button' | 'button icon';
  readonly entries: readonly MenuEntry[];
}): VNode {
  const { label, sign, look, entries } = props;
  const [isOpen, setOpen] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const close = (): void => {
    setOpen(false);
    opener.current?.focus();
  };
  // The menu hears its keys itself once it has the focus.
  const onKey = (event: KeyboardEvent): void => {
    if (!isOpen || event.key !== 'Escape') return;
    event.preventDefault();
    event.stopPropagation();
    close();
  };
  return html`<span class="menu-host" onKeyDown=${onKey}>
    <button ref=${opener} type="button" class=${look} aria-label=${label} aria-haspopup="menu" aria-expanded=${String(isOpen)}
      onClick=${() => setOpen(!isOpen)}><span aria-hidden="true">${sign}</span></button>
    ${isOpen && html`<${Menu} label=${label} entries=${entries} onClose=${close} />`}
  </span>`;
}
