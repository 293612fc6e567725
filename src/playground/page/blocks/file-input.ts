import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { filledIn } from '../../../fake-slack/block-kit/fields.ts';
import { type JsonObject, toObjects, toText } from '../../../fake-slack/protocol/json.ts';
import { useElement } from './element-use.ts';
import type { Labelling } from './labelling.ts';

/** A field for files. Its state holds each file's name, type, size and its content in base64. */
export function FileInput({ element, label }: { readonly element: JsonObject; readonly label: Labelling }): VNode {
  const handle = useElement(element);
  const [problem, setProblem] = useState('');
  const held = toObjects(filledIn(handle.state));
  const most = Number(element.max_files) || 10;
  const types = Array.isArray(element.filetypes) ? element.filetypes.map(type => `.${toText(type)}`) : [];
  const onChange = async (event: Event): Promise<void> => {
    const files = [...((event.currentTarget as HTMLInputElement).files ?? [])];
    setProblem(files.length > most ? `Choose at most ${most} files. The rest is left out.` : '');
    handle.change(await Promise.all(files.slice(0, most).map(toFile)));
  };
  return html`<span class="files">
    <input id=${label.id} ref=${label.focusRef} class="field-input" type="file" multiple=${most > 1} accept=${types.join(',') || undefined}
      aria-label=${label.labelId === undefined ? label.words : undefined}
      aria-describedby=${label.describedBy} aria-invalid=${label.isInvalid ? 'true' : undefined} onChange=${onChange} />
    ${held.length > 0 && html`<span class="zone">${held.map(file => toText(file.name)).join(', ')}</span>`}
    <span class="error" role="status">${problem}</span>
  </span>`;
}

async function toFile(file: File): Promise<JsonObject> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const content = btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(''));
  return { name: file.name, mimetype: file.type || 'application/octet-stream', size: file.size, content };
}
