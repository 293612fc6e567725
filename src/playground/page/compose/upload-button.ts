import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useRef } from 'preact/hooks';
import { useStore } from '../use-store.ts';

/** Posts a text file. */
export function UploadButton({ channel, threadTs }: { readonly channel: string; readonly threadTs?: string }): VNode {
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
