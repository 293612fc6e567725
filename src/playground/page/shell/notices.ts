import { html } from 'htm/preact';
import type { VNode } from 'preact';
import type { State } from '../state.ts';
import { usePart, useStore } from '../use-store.ts';

const pickProblem = (state: State): string | undefined => state.problem;
const pickTrouble = (state: State): string | undefined => state.system?.troubles.workspace;

/** Says why the last act had no effect, and that the workspace is not kept. */
export function Notices(): VNode {
  const store = useStore();
  const problem = usePart(pickProblem);
  const trouble = usePart(pickTrouble);
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
