import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { Menu } from '../menu.ts';
import { useStore, useWorkspace } from '../use-store.ts';

/** The app's shortcuts that need no message. */
export function ShortcutMenu({ channel }: { readonly channel: string }): VNode {
  const store = useStore();
  const { shortcuts } = useWorkspace();
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const close = (): void => {
    setOpen(false);
    button.current?.focus();
  };
  const entries = shortcuts
    .filter(each => each.type === 'global')
    .map(({ id, name }) => ({ name, choose: () => store.act({ do: 'shortcut', id, channel }) }));
  return html`<span class="menu-host">
    <button type="button" ref=${button} class="icon-button" aria-haspopup="menu" aria-expanded=${String(isOpen)} onClick=${() => setOpen(!isOpen)}>
      <span aria-hidden="true">⚡</span><span class="out-of-sight">Shortcuts</span>
    </button>
    ${isOpen && html`<${Menu} label="Shortcuts" entries=${entries} onClose=${close} />`}
  </span>`;
}
