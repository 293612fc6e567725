import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { findChannel } from '../state.ts';
import { usePart } from '../use-store.ts';
import { Faults } from './faults.ts';
import { Journal } from './journal.ts';
import { Pager } from './pager.ts';
import { Stories } from './stories.ts';
import { Watchdog } from './watchdog.ts';
import { Wire } from './wire.ts';

const tabs = [
  { name: 'Break things', Panel: BreakThings },
  { name: 'Journal', Panel: Journal },
  { name: 'Wire', Panel: Wire },
  { name: 'Stories', Panel: Stories },
  { name: 'Incident page', Panel: IncidentPage },
] as const;

/** What happens behind the workspace: requests, the journal, switches that break things, stories, and the incident's page. */
export function Beside({ onClose }: { readonly onClose: () => void }): VNode {
  const [open, setOpen] = useState<(typeof tabs)[number]['name']>('Break things');
  const tab = tabs.find(each => each.name === open) ?? tabs[0];
  const onKey = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const next = tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length] ?? tab;
    setOpen(next.name);
    document.getElementById(`tab-${next.name}`)?.focus();
  };
  return html`<aside class="beside" aria-label="Wire">
    <div class="tabs">
      <div role="tablist" aria-label="Behind the scenes" onKeyDown=${onKey}>
        ${tabs.map(
          ({
            name,
          }) => html`<button key=${name} type="button" role="tab" id=${`tab-${name}`} aria-selected=${String(name === open)}
            aria-controls="beside-panel" tabindex=${name === open ? 0 : -1} onClick=${() => setOpen(name)}>${name}</button>`,
        )}
      </div>
      <button type="button" class="icon-button" onClick=${onClose}>
        <span aria-hidden="true">✕</span><span class="out-of-sight">Close what is behind the scenes</span>
      </button>
    </div>
    <div class="scroll panel" role="tabpanel" id="beside-panel" aria-labelledby=${`tab-${open}`} tabindex="0"><${tab.Panel} /></div>
  </aside>`;
}

/** Alerts to raise, pages to acknowledge, and switches that break things. */
function BreakThings(): VNode {
  return html`<${Watchdog} /><${Pager} /><${Faults} />`;
}

/** The page of the open room's incident, as a browser shows it; in other channels, the list of incidents. */
function IncidentPage(): VNode {
  const channel = usePart(state => findChannel(state, state.channel));
  const system = usePart(state => state.system);
  if (system === undefined) return html`<p class="hint">The service is starting.</p>`;
  const incident = /^inc-(\d+)(?:-|$)/.exec(channel?.name ?? '')?.[1];
  const path = incident === undefined ? '/incidents' : `/a/grafana-irm-app/incidents/${incident}`;
  const words = incident === undefined ? 'All incidents' : `Incident #${incident}`;
  if (incident !== undefined && channel?.kind === 'private') {
    return html`<p class="hint">Incident #${incident} is private: it has no page that a link opens.</p>`;
  }
  const address = `${system.pagesUrl}${path}`;
  return html`<p><a href=${address} target="_blank" rel="noopener noreferrer">${words} in a window of its own</a></p>
    <iframe class="incident-page" title=${words} src=${address}></iframe>`;
}
