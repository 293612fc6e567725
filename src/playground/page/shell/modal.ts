import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ViewFacts } from '../../workspace/protocol.ts';
import { ViewContent } from '../blocks/view-content.ts';
import { useStore, useWorkspace } from '../use-store.ts';

/** The modal in front of the person: the top of the stack. Those below keep what is typed in them. */
export function Modal(): VNode | null {
  const { views } = useWorkspace();
  if (views.length === 0) return null;
  return html`<${Stack} views=${views} />`;
}

const firstField = '.modal-body :is(input, textarea, select, [role=combobox])';

function Stack({ views }: { readonly views: readonly ViewFacts[] }): VNode {
  const store = useStore();
  const dialog = useRef<HTMLDialogElement>(null);
  const title = useId();
  const [isBusy, setBusy] = useState(false);
  useLayoutEffect(() => {
    dialog.current?.showModal();
    // The dialog itself would focus its first button, which closes it.
    dialog.current?.querySelector<HTMLElement>(firstField)?.focus();
  }, []);
  const top = views.at(-1);
  const close = (): void => {
    if (top !== undefined) void store.act({ do: 'close', view: top.id });
  };
  const cancel = (event: Event): void => {
    event.preventDefault();
    close();
  };
  return html`<dialog class="modal" ref=${dialog} aria-labelledby=${title} onCancel=${cancel}>
    <header class="modal-head">
      ${views.length > 1 && html`<button type="button" class="icon-button" onClick=${close}><span aria-hidden="true">‹</span><span class="out-of-sight">Back</span></button>`}
      <h2 id=${title}>${top?.title}</h2>
      <button type="button" class="icon-button" onClick=${close}><span aria-hidden="true">✕</span><span class="out-of-sight">Close the form</span></button>
    </header>
    ${views.map(
      view => html`<div key=${view.id} class="modal-body" hidden=${view !== top}>
        <${ViewContent} view=${view} formId=${`form-${view.id}`} onBusy=${setBusy} />
      </div>`,
    )}
    <footer class="modal-foot">
      <button type="button" class="button" onClick=${close}>${top?.close}</button>
      ${
        top?.submit !== undefined &&
        html`<button type="submit" class="button primary solid" form=${`form-${top.id}`} aria-disabled=${String(isBusy)}>
          ${top.submit}
        </button>`
      }
    </footer>
  </dialog>`;
}
