import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { MessageView } from '../../workspace/protocol.ts';
import { writeAddress } from '../address.ts';
import { useConfirm } from '../blocks/confirm.ts';
import { allEmoji } from '../blocks/emoji.ts';
import { Menu, type MenuEntry } from '../menu.ts';
import { useDirectory, useStore } from '../use-store.ts';

/** Slack's question before a message is deleted. */
const deletion = {
  confirm: {
    title: { type: 'plain_text', text: 'Delete message' },
    text: { type: 'plain_text', text: 'Are you sure you want to delete this message? This cannot be undone.' },
    confirm: { type: 'plain_text', text: 'Delete' },
    deny: { type: 'plain_text', text: 'Cancel' },
    style: 'danger',
  },
};

/** What one can do with a message: react, answer, and the entries of its menu. It shows while the message is pointed at or focused. */
export function MessageToolbar(props: {
  readonly message: MessageView;
  readonly isInThread: boolean;
  readonly onEdit: () => void;
}): VNode | null {
  const { message, isInThread, onEdit } = props;
  const { channel, ts, threadTs, author, isEphemeral, isPinned } = message;
  const store = useStore();
  const { me, people, shortcuts } = useDirectory();
  const [open, setOpen] = useState<'menu' | 'emoji' | undefined>(undefined);
  const more = useRef<HTMLButtonElement>(null);
  const close = (): void => {
    setOpen(undefined);
    more.current?.focus();
  };
  const { guard, dialog } = useConfirm(deletion);
  const place = { channel, ts };
  const copyLink = async (): Promise<void> => {
    const as = people.find(each => each.id === me)?.name;
    const thread = threadTs === ts ? undefined : threadTs;
    const address = new URL(writeAddress({ as, channel, thread, message: ts }), location.origin);
    try {
      await navigator.clipboard.writeText(address.href);
    } catch {
      store.showProblem(`The browser does not let the page copy. The link is ${address.href}`);
    }
  };
  const entries: MenuEntry[] = [
    ...shortcuts
      .filter(each => each.type === 'message')
      .map(({ id, name }) => ({ name, choose: () => store.act({ do: 'shortcut', id, message: place }) })),
    { name: 'Add reaction', choose: () => setOpen('emoji') },
    ...(isInThread ? [] : [{ name: 'Reply in thread', choose: () => store.showThread(message.threadTs ?? ts) }]),
    {
      name: isPinned ? 'Unpin from the channel' : 'Pin to the channel',
      choose: () => store.act({ do: isPinned ? 'unpin' : 'pin', ...place }),
    },
    { name: 'Copy link', choose: copyLink },
    ...(author === me
      ? [
          { name: 'Edit message', choose: onEdit },
          {
            name: 'Delete message',
            isDanger: true,
            choose: () => guard(() => void store.act({ do: 'delete', ...place })),
          },
        ]
      : []),
  ];
  if (isEphemeral) return null;
  return html`<div class=${open === undefined ? 'toolbar' : 'toolbar open'}>
    <button type="button" class="icon-button in-menu" aria-expanded=${String(open === 'emoji')} onClick=${() => setOpen(open === 'emoji' ? undefined : 'emoji')}>
      <span aria-hidden="true">☺</span><span class="out-of-sight">Add reaction</span>
    </button>
    ${
      !isInThread &&
      html`<button type="button" class="icon-button in-menu" onClick=${() => store.showThread(message.threadTs ?? ts)}>
        <span aria-hidden="true">💬</span><span class="out-of-sight">Reply in thread</span>
      </button>`
    }
    <button type="button" ref=${more} class="icon-button" aria-haspopup="menu" aria-expanded=${String(open === 'menu')}
      onClick=${() => setOpen(open === 'menu' ? undefined : 'menu')}>
      <span aria-hidden="true">⋮</span><span class="out-of-sight">More actions</span>
    </button>
    ${dialog}
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

/** Those that people use in incidents, shown before anything is typed. */
const usual = ['memo', 'pushpin', 'white_check_mark', 'eyes', 'loudspeaker', '+1', 'fire', 'rotating_light', 'tada'];

/** How many emoji the picker shows. */
const most = 63;

/** Picks an emoji by name. */
function EmojiPicker(props: { readonly onPick: (name: string) => void; readonly onClose: () => void }): VNode {
  const [typed, setTyped] = useState('');
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => field.current?.focus(), []);
  const found = useMemo(() => find(typed), [typed]);
  const onKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    event.stopPropagation();
    props.onClose();
  };
  return html`<div class="emoji-picker" role="dialog" aria-label="Pick an emoji" onKeyDown=${onKey}>
    <input ref=${field} class="field-input" type="search" aria-label="Search emoji" value=${typed}
      onInput=${() => setTyped(field.current?.value ?? '')} />
    <div class="emoji-grid">
      ${found.map(
        ([
          name,
          emoji,
        ]) => html`<button key=${name} type="button" class="icon-button" title=${`:${name}:`} aria-label=${name}
          onClick=${() => props.onPick(name)}>${emoji}</button>`,
      )}
    </div>
    ${found.length === 0 && html`<p class="hint">No emoji has this name.</p>`}
  </div>`;
}

function find(typed: string): readonly (readonly [name: string, emoji: string])[] {
  const wanted = typed.trim().toLowerCase().replaceAll(':', '').replaceAll(' ', '_');
  const all = allEmoji();
  if (wanted === '') return usual.flatMap(name => all.filter(each => each[0] === name));
  const hits = all.filter(([name]) => name.includes(wanted));
  return hits
    .toSorted(([one], [other]) => Number(!one.startsWith(wanted)) - Number(!other.startsWith(wanted)))
    .slice(0, most);
}
