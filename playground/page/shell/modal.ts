import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { FormContent } from '../../workspace/protocol.ts';
import { ViewContent } from '../blocks/view-content.ts';
import { useStore, useWorkspace } from '../use-store.ts';

/** The modal in front of the person: the top of the stack. Those below keep what is typed in them. */
export function Modal(): VNode | null {
  const { views } = useWorkspace();
  if (views.length === 0) return null;
  return html`<${Stack} views=${views} />`;
}

const firstField = '.modal-body:not([hidden]) :is(input, textarea, select, [role=combobox])';

/** A browser closes a dialog at a second Escape, whatever the page says. The forms that are still open are shown again. */
function Stack({ views }: { readonly views: readonly FormContent[] }): VNode {
  const store = useStore();
  const dialog = useRef<HTMLDialogElement>(null);
  const title = useId();
  const [isBusy, setBusy] = useState(false);
  const closing = useRef<string | undefined>(undefined);
  const show = (): void => {
    dialog.current?.showModal();
    // The dialog itself would focus its first button, which closes it.
    dialog.current?.querySelector<HTMLElement>(firstField)?.focus();
  };
  useLayoutEffect(show, []);
  const top = views.at(-1);
  const close = async (): Promise<void> => {
    if (top === undefined || closing.current === top.id) return;
    closing.current = top.id;
    await store.act({ do: 'close', view: top.id });
    closing.current = undefined;
  };
  const cancel = (event: Event): void => {
    event.preventDefault();
    void close();
  };
  return html`<dialog class="modal" ref=${dialog} aria-labelledby=${title} onCancel=${cancel} onClose=${show}>
    <div class="modal-head">
      ${views.length > 1 && html`<button type="button" class="icon-button" onClick=${close}><span aria-hidden="true">‹</span><span class="out-of-sight">Back</span></button>`}
      <h2 id=${title}>${top?.title}</h2>
      <button type="button" class="icon-button" onClick=${close}><span aria-hidden="true">✕</span><span class="out-of-sight">Close the form</span></button>
    </div>
    ${views.map(
      view => html`<div key=${view.id} class="modal-body" hidden=${view !== top}>
        <${ViewContent} view=${view} formId=${`form-${view.id}`} onBusy=${setBusy} />
      </div>`,
    )}
    <div class="modal-foot">
      <button type="button" class="button" onClick=${close}>${top?.close}</button>
      ${
        top?.submit !== undefined &&
        html`<button type="submit" class="button primary solid" form=${`form-${top.id}`} aria-disabled=${String(isBusy)}>
          ${top.submit}
        </button>`
      }
    </div>
  </dialog>`;
}
