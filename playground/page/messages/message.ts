import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { MessageView } from '../../workspace/protocol.ts';
import { emojiOf } from '../blocks/emoji.ts';
import { Mrkdwn } from '../blocks/inlines.ts';
import { MessageContent } from '../blocks/message-content.ts';
import { toTyped } from '../compose/typed.ts';
import { memo } from '../memo.ts';
import { nameOf, useDirectory, useStore } from '../use-store.ts';
import { MessageToolbar } from './message-toolbar.ts';
import { toDate, toShortTime, toTime } from './moments.ts';
import { plainText } from './plain-text.ts';

/** Characters of a message's words in its label. */
const labelLength = 80;

interface MessageProps {
  readonly message: MessageView;
  /** Whether it stands below another one of its author, without a name of its own. */
  readonly isFollowing: boolean;
  /** The reader's zone. */
  readonly zone: string;
  /** Whether it stands in the thread pane, which needs no line on replies. */
  readonly isInThread?: boolean;
  /** Whether the page was asked for this message. */
  readonly isTarget?: boolean;
  /** Whether its words are being changed. */
  readonly isEditing?: boolean;
}

/** A message with all that hangs on it. */
export const Message = memo((props: MessageProps): VNode => {
  const { message, isFollowing, zone, isInThread = false, isTarget = false, isEditing = false } = props;
  const store = useStore();
  const workspace = useDirectory();
  const { people, app } = workspace;
  const pane = isInThread ? 'thread' : 'channel';
  const { author, ts, isNotice, isEphemeral, replies } = message;
  const name = nameOf(people, author);
  const time = toTime(ts, zone);
  const label = `${name}, ${time}: ${plainText(workspace, message.text, labelLength)}`;
  const isInGutter = isNotice || isFollowing;
  const stamp = html`<time class="time" datetime=${toDate(ts).toISOString()}>${isInGutter ? toShortTime(ts, zone) : time}</time>`;
  const endEdit = (): void => {
    store.edit(pane);
    document.getElementById(isInThread ? 'thread-composer' : 'composer')?.focus();
  };
  const place = { 'data-ts': ts, 'aria-label': label, tabindex: isTarget ? -1 : undefined };
  if (isNotice) {
    return html`<article class=${isTarget ? 'message notice target' : 'message notice'} ...${place}>
      <span class="gutter">${stamp}</span>
      <div class="message-body"><${Mrkdwn} text=${message.text} /></div>
    </article>`;
  }
  const classes = [
    'message',
    isFollowing && 'following',
    isEphemeral && 'ephemeral',
    message.isPinned && 'pinned',
    isTarget && 'target',
  ];
  return html`<article class=${classes.filter(Boolean).join(' ')} ...${place}>
    <span class="gutter">${isFollowing ? stamp : html`<${Avatar} name=${name} isApp=${author === app} />`}</span>
    <div class="message-body">
      ${isEphemeral && html`<p class="mark">👁 Only visible to you</p>`}
      ${message.isPinned && html`<p class="mark">📌 Pinned</p>`}
      ${
        !isFollowing &&
        html`<p class="byline"><strong>${name}</strong>${author === app && html`<span class="tag">APP</span>`} ${stamp}</p>`
      }
      ${
        isEditing
          ? html`<${EditForm} message=${message} onEnd=${() => endEdit()} />`
          : html`<${MessageContent} message=${message} />`
      }
      ${message.isEdited && !isEditing && html`<span class="hint"> (edited)</span>`}
      <${Files} files=${message.files} />
      <${Reactions} message=${message} />
      ${
        replies > 0 &&
        !isInThread &&
        html`<button type="button" class="replies" onClick=${() => store.showThread(ts)}>
          ${replies} ${replies === 1 ? 'reply' : 'replies'}
          ${message.lastReplyTs !== undefined && html`<span class="hint"> Last one at ${toTime(message.lastReplyTs, zone)}</span>`}
        </button>`
      }
    </div>
    <${MessageToolbar} message=${message} isInThread=${isInThread} onEdit=${() => store.edit(pane, ts)} />
  </article>`;
});

/** How many colours the stylesheet has for people. */
const colours = 8;

/** A person's initials on a colour of their own. */
function Avatar({ name, isApp }: { readonly name: string; readonly isApp: boolean }): VNode {
  const initials = name
    .split(/\s+/)
    .slice(0, 2)
    .map(word => word[0]?.toUpperCase())
    .join('');
  const sum = [...name].reduce((total, character) => total + (character.codePointAt(0) ?? 0), 0);
  return html`<span class=${isApp ? 'avatar app' : `avatar colour-${sum % colours}`} aria-hidden="true">${initials}</span>`;
}

/** The files that a message brought. */
function Files({ files }: { readonly files: MessageView['files'] }): VNode | null {
  if (files.length === 0) return null;
  return html`<ul class="files">
    ${files.map(
      each => html`<li key=${each.id}>
        <a href=${each.url} target="_blank" rel="noopener noreferrer">📄 ${each.name}</a>
        <span class="hint"> ${each.mimetype}, ${toSize(each.size)}</span>
      </li>`,
    )}
  </ul>`;
}

function toSize(bytes: number): string {
  return bytes < 1024 ? `${bytes} bytes` : `${(bytes / 1024).toFixed(1)} kB`;
}

/** The emoji under a message. A press adds one's own, or takes it back. */
function Reactions({ message }: { readonly message: MessageView }): VNode | null {
  const store = useStore();
  const { people, me } = useDirectory();
  const { channel, ts, reactions } = message;
  if (reactions.length === 0) return null;
  return html`<div class="reactions">
    ${reactions.map(({ name, users }) => {
      const isOwn = users.includes(me);
      const press = () => store.act({ do: isOwn ? 'unreact' : 'react', channel, ts, emoji: name });
      return html`<button key=${name} type="button" class="reaction" aria-pressed=${String(isOwn)}
        title=${`${users.map(id => nameOf(people, id)).join(', ')} reacted with :${name}:`} onClick=${press}>
        <span aria-hidden="true">${emojiOf(name) ?? `:${name}:`}</span><span class="out-of-sight">${name}</span> ${users.length}
      </button>`;
    })}
  </div>`;
}

/** Changes the words of one's own message. Enter saves them, Escape leaves them. */
function EditForm({ message, onEnd }: { readonly message: MessageView; readonly onEnd: () => void }): VNode {
  const store = useStore();
  const workspace = useDirectory();
  const [text, setText] = useState(() => toTyped(message.text, workspace));
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => field.current?.focus(), []);
  const save = async (): Promise<void> => {
    if (text.trim() === '') return;
    const answer = await store.act({ do: 'edit', channel: message.channel, ts: message.ts, text });
    if (answer.problem === undefined) onEnd();
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') {
      event.preventDefault();
      onEnd();
    } else if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      void save();
    }
  };
  return html`<div class="edit-form">
    <textarea ref=${field} class="field-input" aria-label="Edit the message" rows="3" value=${text}
      onInput=${() => setText(field.current?.value ?? '')} onKeyDown=${onKey}></textarea>
    <button type="button" class="button small" onClick=${onEnd}>Cancel</button>
    <button type="button" class="button small primary" onClick=${save}>Save</button>
  </div>`;
}
