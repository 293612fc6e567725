import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { WireLine } from '../../workspace/protocol.ts';
import { memo } from '../memo.ts';
import { useCalmPart } from '../use-store.ts';

const ways: Readonly<Record<WireLine['way'], string>> = {
  'from Slack': 'Slack → Muster',
  'Web API': 'Muster → Slack',
  RPC: 'Muster → API',
  webhook: 'API → Muster',
};

/** Each request between Slack, Muster and the API, newest first. A line opens to its JSON. */
export function Wire(): VNode {
  const all = useCalmPart(state => state.wire);
  const [hasRoutine, setRoutine] = useState(false);
  const lines = hasRoutine ? all : all.filter(line => !line.isRoutine);
  return html`<label class="choice hint"><input type="checkbox" checked=${hasRoutine} onChange=${() => setRoutine(!hasRoutine)} /> Show heartbeats and health checks</label>
    ${lines.length === 0 && html`<p class="hint">Type a command: every request that it causes shows here.</p>`}
    <ol class="wire">${lines.toReversed().map(line => html`<${Line} key=${line.id} line=${line} />`)}</ol>`;
}

const Line = memo(({ line }: { readonly line: WireLine }): VNode => {
  const { way, name, duration, outcome, isFailure, times } = line;
  const [isOpen, setOpen] = useState(false);
  return html`<li class=${isFailure ? 'wire-line failed' : 'wire-line'}>
    <details onToggle=${(event: Event) => setOpen((event.currentTarget as HTMLDetailsElement).open)}>
      <summary>
        <span class="hint">${ways[way]}</span> <strong>${name}</strong>
        ${times !== undefined && html`<span class="hint" title="as often in a row"> ×${times}</span>`}
        ${' '}<span class="duration">${duration === undefined ? '…' : `${Math.round(duration)} ms`}</span>
        <span class="outcome">${outcome ?? 'no answer yet'}</span>
      </summary>
      ${isOpen && html`<${Json} title="Request" value=${line.request} />`}
      ${isOpen && line.response !== undefined && html`<${Json} title="Answer" value=${line.response} />`}
    </details>
  </li>`;
});

function Json({ title, value }: { readonly title: string; readonly value: unknown }): VNode {
  const text = typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);
  return html`<h2>${title}</h2><pre tabindex="0">${text}</pre>`;
}
