import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { alertEvents, type FaultName, faultNames, type PageView, type SystemView } from '../../workspace/protocol.ts';
import { findChannel } from '../state.ts';
import { usePart, useStore } from '../use-store.ts';
import { Journal } from './journal.ts';
import { Stories } from './stories.ts';
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

/** The monitoring of the shop: buttons that send alerts to Muster. */
function Watchdog(): VNode {
  const store = useStore();
  const facts = usePart(state => state.system?.watchdog);
  return html`<section class="outside" aria-labelledby="watchdog">
    <h2 id="watchdog">Alerts</h2>
    <p class="hint">Monitoring sends alerts to Muster, as Alertmanager does. Watch #incidents. Fire begins a group, Repeat sends the
      newest again, Grow adds an alert to it, Worsen makes it critical, Storm fires 12 groups of 3 services, End all ends them.</p>
    <div class="actions">
      ${alertEvents.map(
        event => html`<button key=${event} type="button" class=${`button small${event === 'Fire' ? ' primary' : ''}`}
          onClick=${() => store.act({ do: 'alert', event })}>${event}</button>`,
      )}
    </div>
    <p class="hint" role="status">${facts && watchdogWords(facts)}</p>
    ${facts?.problem !== undefined && html`<p class="failure" role="alert">${facts.problem}</p>`}
  </section>`;
}

function watchdogWords({ firing, waiting }: SystemView['watchdog']): string {
  const fires = firing === 0 ? 'Nothing fires.' : firing === 1 ? 'One group fires.' : `${firing} groups fire.`;
  if (waiting === 0) return fires;
  return `${fires} ${waiting === 1 ? 'One notice waits' : `${waiting} notices wait`} for Muster.`;
}

const states: Readonly<Record<PageView['state'], string>> = {
  open: 'waits for somebody',
  acknowledged: 'acknowledged',
  over: 'over',
};

/** The pager of those who are on call for the database: the pages that Muster sent, and a button that acknowledges one. */
function Pager(): VNode {
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
          <span>${pageWords(title, why, by)} · ${states[state]}</span>
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
function pageWords(title: string, why: string, by: string): string {
  return `${title}${why === '' ? '' : `: ${why}`}${by === '' ? '' : ` – ${by}`}`;
}

/** What each switch breaks, and what to watch. */
const remarks: Readonly<Record<FaultName, string>> = {
  'API down':
    'Nobody answers Muster’s calls. Declare all the same: the journal keeps it, and carries it out once the API is back.',
  'API slow': 'Each call takes four seconds. People are answered at once.',
  'Answers lost':
    'Each call takes effect, then the connection breaks. Muster looks before it tries again, so nothing happens twice.',
  'Slack rate-limits': 'Slack answers 429. Muster waits as long as Slack says, and loses nothing.',
  'Deliver twice': 'Slack sends each request again. Only the first one counts.',
  'Bot killed':
    'The process is gone, without a word. Switch it off to start it again: it goes on where it was. Slack sends events, such as reactions and messages, three times more: after a minute and after five, here after 10 s and 50 s. Commands and presses it does not repeat: who acts sees an error.',
  'Clock off': 'Slack’s clock is ten minutes behind. Muster refuses its requests, since they may be replayed.',
};

const bots: Readonly<Record<SystemView['bot'], string>> = {
  starting: 'The bot is starting.',
  running: 'The bot is running.',
  stopped: 'The bot is stopped.',
};

/** The switches that break things. */
function Faults(): VNode {
  const store = useStore();
  const system = usePart(state => state.system);
  return html`<p role="status">${system && bots[system.bot]}</p>
    <ul class="faults">
      ${faultNames.map(fault => {
        const isOn = system?.faults.includes(fault) ?? false;
        const id = `fault-${fault.replaceAll(' ', '-')}`;
        return html`<li key=${fault}>
          <button type="button" role="switch" class="switch" aria-checked=${String(isOn)} aria-describedby=${id}
            onClick=${() => store.act({ do: 'setFault', fault, isOn: !isOn })}>
            <span class="knob" aria-hidden="true"></span> ${fault}
          </button>
          <p class="hint" id=${id}>${remarks[fault]}</p>
        </li>`;
      })}
    </ul>`;
}
