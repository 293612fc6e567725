import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { usePart, useStore } from '../use-store.ts';

/** Says why the last act had no effect, and that the workspace is not kept. */
export function Notices(): VNode {
  const store = useStore();
  const problem = usePart(state => state.problem);
  const trouble = usePart(state => state.system?.troubles.workspace);
  return html`<div role="alert">
    ${trouble !== undefined && html`<p class="failure">${trouble}</p>`}
    ${
      problem !== undefined &&
      html`<div class="failure">
        <span>${problem}</span>
        <button type="button" class="icon-button" onClick=${() => store.forgetProblem()}>
          <span aria-hidden="true">✕</span><span class="out-of-sight">Close</span>
        </button>
      </div>`
    }
  </div>`;
}
