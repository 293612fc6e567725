import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { JournalView } from '../../workspace/journal-view.ts';
import { useCalmPart, usePart } from '../use-store.ts';

/** What the bot has stored of its work: intents, deliveries and leases. */
export function Journal(): VNode {
  const journal = useCalmPart(state => state.journal);
  const trouble = usePart(state => state.system?.troubles.journal);
  const now = useNow();
  if (trouble === undefined && journal === undefined) return html`<p class="hint">The journal is being read.</p>`;
  return html`${trouble !== undefined && html`<p class="failure" role="alert">${trouble}</p>`}
    ${journal !== undefined && html`<${Stored} journal=${journal} now=${now} />`}`;
}

interface StoredProps {
  readonly journal: JournalView;
  /** Unix milliseconds. */
  readonly now: number;
}

function Stored({ journal, now }: StoredProps): VNode {
  const { intents, deliveries, leases } = journal;
  return html`<section aria-label="Intents">
      <h2>Intents</h2>
      <p class="hint">What people asked for. It is stored before it is acknowledged, and carried out once.</p>
      ${table(
        ['State', 'What', 'Incident', 'Tries', 'Age'],
        intents.map(each => [
          html`<span class=${`state ${each.state}`}>${each.state}</span>`,
          html`<div class="intent-words" title=${each.kind}>${each.kind}</div>${each.error !== undefined && html`<div class="hint">${each.error}</div>`}`,
          toIncident(each.incident),
          each.attempts,
          age(now, each.createdAt),
        ]),
      )}
    </section>
    <section aria-label="Deliveries">
      <h2>Deliveries</h2>
      ${table(
        ['State', 'What', 'Age'],
        deliveries.map(each => [
          html`<span class=${`state ${each.state}`}>${each.state}</span>`,
          each.what,
          age(now, each.createdAt),
        ]),
      )}
    </section>
    <section aria-label="Leases">
      <h2>Leases</h2>
      ${table(
        ['Name', 'Holder', 'Ends in'],
        leases.map(each => [each.name, each.holder, age(each.until, now)]),
      )}
    </section>`;
}

/** An incident's number. One that waits for the API has a provisional id, which begins with `~`. */
function toIncident(id: string): string {
  return id.startsWith('~') ? 'not yet' : id;
}

function table(heads: readonly string[], rows: readonly (readonly (VNode | string | number)[])[]): VNode {
  if (rows.length === 0) return html`<p class="hint">None.</p>`;
  return html`<div class="table-scroll" tabindex="0" role="group" aria-label=${heads.join(', ')}><table>
    <thead><tr>${heads.map(head => html`<th scope="col">${head}</th>`)}</tr></thead>
    <tbody>${rows.map(cells => html`<tr>${cells.map(cell => html`<td>${cell}</td>`)}</tr>`)}</tbody>
  </table></div>`;
}

function age(later: number, earlier: number): string {
  const seconds = Math.max(0, Math.round((later - earlier) / 1000));
  if (seconds < 60) return `${seconds} s`;
  return seconds < 3600 ? `${Math.floor(seconds / 60)} min` : `${Math.floor(seconds / 3600)} h`;
}

/** Unix milliseconds, anew each second. */
function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
