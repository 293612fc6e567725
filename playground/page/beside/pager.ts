import { html } from 'htm/preact';
import type { VNode } from 'preact';
import type { PageView } from '../../workspace/protocol.ts';
import { usePart, useStore } from '../use-store.ts';

const states: Readonly<Record<PageView['state'], string>> = {
  open: 'waits for somebody',
  acknowledged: 'acknowledged',
  over: 'over',
};

/** The pager of those who are on call for the database: the pages that Muster sent, and a button that acknowledges one. */
export function Pager(): VNode {
  const store = useStore();
  const facts = usePart(state => state.system?.pager);
  const pages = facts?.pages.toReversed() ?? [];
  return html`<section class="outside" aria-labelledby="pager">
    <h2 id="pager">Pager</h2>
    <p class="hint">It wakes those who are on call for the database. In an incident’s channel, type
      ${' '}<code>/incident page database the disk is full</code>. Who acknowledges it here is you.</p>
    ${pages.length === 0 && html`<p class="hint">Nobody was paged.</p>`}
    <ul class="pages">
      ${pages.map(
        ({ key, title, why, by, state }) => html`<li key=${key}>
          <span>${toWords(title, why, by)} · ${states[state]}</span>
          ${
            state === 'open' &&
            html`<button type="button" class="button small primary" onClick=${() => store.act({ do: 'acknowledge', key })}>Acknowledge</button>`
          }
        </li>`,
      )}
    </ul>
    ${facts !== undefined && facts.waiting > 0 && html`<p class="hint" role="status">An answer waits for Muster.</p>`}
    ${facts?.problem !== undefined && html`<p class="failure" role="alert">${facts.problem}</p>`}
  </section>`;
}

/** A private incident says neither why nor who. */
function toWords(title: string, why: string, by: string): string {
  return `${title}${why === '' ? '' : `: ${why}`}${by === '' ? '' : ` – ${by}`}`;
}
