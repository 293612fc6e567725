import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { alertEvents, type SystemView } from '../../workspace/protocol.ts';
import { usePart, useStore } from '../use-store.ts';

/** The monitoring of the shop: buttons that send alerts to Muster. */
export function Watchdog(): VNode {
  const store = useStore();
  const facts = usePart(state => state.system?.watchdog);
  return html`<section class="outside" aria-labelledby="watchdog">
    <h2 id="watchdog">Alerts</h2>
    <p class="hint">Monitoring sends alerts to Muster, as Alertmanager does. Watch #incidents. Fire begins a group, Repeat sends the
      newest again, Grow adds an alert to it, Storm fires 12 groups of 3 services, End all ends them.</p>
    <div class="actions">
      ${alertEvents.map(
        event => html`<button key=${event} type="button" class=${`button small${event === 'Fire' ? ' primary' : ''}`}
          onClick=${() => store.act({ do: 'alert', event })}>${event}</button>`,
      )}
    </div>
    <p class="hint" role="status">${facts && toWords(facts)}</p>
    ${facts?.problem !== undefined && html`<p class="failure" role="alert">${facts.problem}</p>`}
  </section>`;
}

function toWords({ firing, waiting }: SystemView['watchdog']): string {
  const fires = firing === 0 ? 'Nothing fires.' : firing === 1 ? 'One group fires.' : `${firing} groups fire.`;
  if (waiting === 0) return fires;
  return `${fires} ${waiting === 1 ? 'One notice waits' : `${waiting} notices wait`} for Muster.`;
}
