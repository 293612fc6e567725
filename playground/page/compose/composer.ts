import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { secondFrame } from '../frames.ts';
import { MenuButton } from '../menu.ts';
import { useStore, useWorkspace } from '../use-store.ts';
import { type Completion, complete } from './completion.ts';
import { followDrafts, putBack, readDraft, writeDraft } from './drafts.ts';

/** The tallest that the field grows, in pixels. */
const tallest = 240;

/** Writes messages and commands. Enter sends, Shift+Enter breaks the line. What could not be sent stays in the field. */
export function Composer(props: {
  readonly channel: string | undefined;
  readonly threadTs?: string;
  readonly id: string;
}): VNode | null {
  const { channel: channelId, threadTs, id } = props;
  const store = useStore();
  const workspace = useWorkspace();
  const place = `${workspace.me} ${channelId} ${threadTs ?? ''}`;
  const [text, setText] = useState(() => readDraft(place));
  const [completion, setCompletion] = useState<Completion | undefined>(undefined);
  const [chosen, setChosen] = useState(0);
  const field = useRef<HTMLTextAreaElement>(null);
  const cursor = useRef<number | undefined>(undefined);
  const listId = useId();
  // Before the first key is pressed, or the field would not know of it.
  useLayoutEffect(() => followDrafts(() => setText(readDraft(place))), [place]);
  useLayoutEffect(() => {
    const element = field.current;
    if (element === null) return;
    element.style.height = 'auto';
    element.style.height = `${Math.min(element.scrollHeight + 2, tallest)}px`;
    if (cursor.current === undefined) return;
    element.setSelectionRange(cursor.current, cursor.current);
    cursor.current = undefined;
  }, [text]);
  useLayoutEffect(() => {
    // On a phone it would bring the keyboard up; beside another person, each window would take the focus from the other.
    const isQuiet = matchMedia('(hover: none)').matches || window.name === secondFrame;
    if (!isQuiet) field.current?.focus({ preventScroll: true });
  }, []);
  const channel = store.channel(channelId);
  if (channel === undefined) return null;
  if (!channel.isMember || channel.isArchived)
    return html`<${Closed} isArchived=${channel.isArchived} channel=${channel.id} />`;

  const pane = threadTs === undefined ? 'channel' : 'thread';
  const change = (next: string): void => writeDraft(place, next);
  const onInput = (): void => {
    const element = field.current;
    if (element === null) return;
    change(element.value);
    setCompletion(complete(element.value, element.selectionStart, workspace));
    setChosen(0);
  };
  const take = (index: number): void => {
    const suggestion = completion?.suggestions[index];
    const element = field.current;
    if (completion === undefined || suggestion === undefined || element === null) return;
    const rest = text.slice(element.selectionStart).replace(/^ /, '');
    cursor.current = completion.from + suggestion.text.length;
    change(text.slice(0, completion.from) + suggestion.text + rest);
    setCompletion(undefined);
    element.focus();
  };
  const send = async (): Promise<void> => {
    const typed = text.trim();
    if (typed === '') return;
    change('');
    setCompletion(undefined);
    const thread = threadTs === undefined ? {} : { threadTs };
    const answer = await store.act(
      typed.startsWith('/') && threadTs === undefined
        ? { do: 'command', channel: channel.id, line: typed }
        : { do: 'say', channel: channel.id, text: typed, ...thread },
    );
    if (answer.problem !== undefined) putBack(place, typed);
    // Whoever speaks while looking at old messages sees their own.
    else if (!store.state.panes[pane].isAtEnd) void store.showNewest(pane);
  };
  const onKey = (event: KeyboardEvent): void => {
    const count = completion?.suggestions.length ?? 0;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (count > 0 && step !== undefined) setChosen((chosen + step + count) % count);
    else if (count > 0 && event.key === 'Tab') take(chosen);
    else if (count > 0 && event.key === 'Escape') setCompletion(undefined);
    else if (event.key === 'ArrowUp' && !event.altKey && text === '' && store.editLast(pane)) setCompletion(undefined);
    else if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
      // Enter takes a suggestion that adds something; a word that is complete is sent.
      const wanted = completion?.suggestions[chosen];
      const isComplete = wanted === undefined || text.slice(completion?.from).trim() === wanted.text.trim();
      if (isComplete) void send();
      else take(chosen);
    } else return;
    event.preventDefault();
  };
  const where = `${channel.kind === 'direct' ? '' : '#'}${channel.name}`;
  const name = threadTs === undefined ? `Message to ${where}` : `Reply in ${where}`;
  const isOpen = completion !== undefined;
  return html`<div class="composer">
    ${
      isOpen &&
      html`<ul class="suggestions" role="listbox" id=${listId} aria-label="Suggestions">
        ${completion.suggestions.map(
          (
            each,
            index,
          ) => html`<li key=${each.text} id=${`${listId}-${index}`} role="option" aria-selected=${String(index === chosen)}
            onPointerDown=${(event: Event) => {
              event.preventDefault();
              take(index);
            }}><span>${each.label}</span> <span class="hint">${each.remark}</span></li>`,
        )}
      </ul>`
    }
    <textarea ref=${field} id=${id} rows="1" value=${text} placeholder=${threadTs === undefined ? name : 'Reply…'} aria-label=${name}
      aria-autocomplete="list" aria-controls=${isOpen ? listId : undefined}
      aria-activedescendant=${isOpen ? `${listId}-${chosen}` : undefined}
      onInput=${onInput} onKeyDown=${onKey} onBlur=${() => setCompletion(undefined)}></textarea>
    <div class="composer-bar">
      <${ShortcutMenu} channel=${channel.id} />
      <${UploadButton} channel=${channel.id} threadTs=${threadTs} />
      <span class="spring"></span>
      <button type="button" class="button small primary solid" aria-disabled=${String(text.trim() === '')} onClick=${send}>Send</button>
    </div>
  </div>`;
}

function Closed({ isArchived, channel }: { readonly isArchived: boolean; readonly channel: string }): VNode {
  const store = useStore();
  return html`<div class="composer closed">
    ${
      isArchived
        ? 'This channel is archived. You can read it.'
        : html`You are looking at a channel that you are not in.
          <button type="button" class="button small primary" onClick=${() => store.act({ do: 'join', channel })}>Join it</button>`
    }
  </div>`;
}

/** The app's shortcuts that need no message. */
function ShortcutMenu({ channel }: { readonly channel: string }): VNode {
  const store = useStore();
  const { shortcuts } = useWorkspace();
  const entries = shortcuts
    .filter(each => each.type === 'global')
    .map(({ id, name }) => ({ name, choose: () => store.act({ do: 'shortcut', id, channel }) }));
  return html`<${MenuButton} label="Shortcuts" sign="⚡" look="icon-button" entries=${entries} />`;
}

/** Posts a text file. */
function UploadButton({ channel, threadTs }: { readonly channel: string; readonly threadTs?: string }): VNode {
  const store = useStore();
  const field = useRef<HTMLInputElement>(null);
  const upload = async (): Promise<void> => {
    const file = field.current?.files?.[0];
    if (file === undefined) return;
    const content = await file.text();
    const thread = threadTs === undefined ? {} : { threadTs };
    await store.act({
      do: 'upload',
      channel,
      ...thread,
      name: file.name,
      mimetype: file.type || 'text/plain',
      content,
      text: '',
    });
    if (field.current !== null) field.current.value = '';
  };
  return html`<button type="button" class="icon-button" onClick=${() => field.current?.click()}>
      <span aria-hidden="true">📎</span><span class="out-of-sight">Attach a text file</span>
    </button>
    <input ref=${field} type="file" hidden tabindex="-1" aria-label="A text file" onChange=${upload} />`;
}
