import { html } from 'htm/preact';
import type { VNode } from 'preact';
import type { ChannelView, SystemView } from '../../workspace/protocol.ts';
import { findChannel, type State } from '../state.ts';
import { usePart } from '../use-store.ts';

const pick = {
  channel: (state: State): ChannelView | undefined => findChannel(state, state.channel),
  system: (state: State): SystemView | undefined => state.system,
};

/** The page of the open room's incident, as a browser shows it; in other channels, the list of incidents. */
export function IncidentPage(): VNode {
  const channel = usePart(pick.channel);
  const system = usePart(pick.system);
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
