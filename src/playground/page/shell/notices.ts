import { html } from 'htm/preact';
import type { VNode } from 'preact';
import type { State } from '../state.ts';
import { usePart, useStore } from '../use-store.ts';

const pickProblem = (state: State): string | undefined => state.problem;

/** Says why the last act had no effect. */
export function Notices(): VNode {
  const store = useStore();
  const problem = usePart(pickProblem);
  return html`<div role="alert">
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
