import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { MessageFacts } from '../../workspace/protocol.ts';
import { Menu, type MenuEntry } from '../menu.ts';
import { useDirectory, useStore } from '../use-store.ts';
import { EmojiPicker } from './emoji-picker.ts';

/** What one can do with a message: react, answer, and the entries of its menu. It shows while the message is pointed at or focused. */
export function MessageToolbar(props: {
  readonly message: MessageFacts;
  readonly isInThread: boolean;
  readonly onEdit: () => void;
}): VNode | null {
  const { message, isInThread, onEdit } = props;
  const { channel, ts, author, isEphemeral, isPinned } = message;
  const store = useStore();
  const { me, shortcuts } = useDirectory();
  const [open, setOpen] = useState<'menu' | 'emoji' | undefined>(undefined);
  const more = useRef<HTMLButtonElement>(null);
  const close = (): void => {
    setOpen(undefined);
    more.current?.focus();
  };
  const place = { channel, ts };
  const entries: MenuEntry[] = [
    ...shortcuts
      .filter(each => each.type === 'message')
      .map(({ id, name }) => ({ name, choose: () => store.act({ do: 'shortcut', id, message: place }) })),
    ...(isInThread ? [] : [{ name: 'Reply in thread', choose: () => store.showThread(message.threadTs ?? ts) }]),
    {
      name: isPinned ? 'Unpin from the channel' : 'Pin to the channel',
      choose: () => store.act({ do: isPinned ? 'unpin' : 'pin', ...place }),
    },
    { name: 'Copy link', choose: () => navigator.clipboard.writeText(message.permalink).catch(() => undefined) },
    ...(author === me
      ? [
          { name: 'Edit message', choose: onEdit },
          { name: 'Delete message', isDanger: true, choose: () => store.act({ do: 'delete', ...place }) },
        ]
      : []),
  ];
  if (isEphemeral) return null;
  return html`<div class=${open === undefined ? 'toolbar' : 'toolbar open'}>
    <button type="button" class="icon-button" aria-expanded=${String(open === 'emoji')} onClick=${() => setOpen(open === 'emoji' ? undefined : 'emoji')}>
      <span aria-hidden="true">☺</span><span class="out-of-sight">Add reaction</span>
    </button>
    ${
      !isInThread &&
      html`<button type="button" class="icon-button" onClick=${() => store.showThread(message.threadTs ?? ts)}>
        <span aria-hidden="true">💬</span><span class="out-of-sight">Reply in thread</span>
      </button>`
    }
    <button type="button" ref=${more} class="icon-button" aria-haspopup="menu" aria-expanded=${String(open === 'menu')}
      onClick=${() => setOpen(open === 'menu' ? undefined : 'menu')}>
      <span aria-hidden="true">⋮</span><span class="out-of-sight">More actions</span>
    </button>
    ${open === 'menu' && html`<${Menu} label="More actions" entries=${entries} onClose=${close} />`}
    ${
      open === 'emoji' &&
      html`<${EmojiPicker} onClose=${close} onPick=${(emoji: string) => {
        close();
        void store.act({ do: 'react', ...place, emoji });
      }} />`
    }
  </div>`;
}
