import { html } from 'htm/preact';
import type { VNode } from 'preact';
import type { MessageView } from '../../workspace/protocol.ts';

/** The files that a message brought. */
export function Files({ files }: { readonly files: MessageView['files'] }): VNode | null {
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
