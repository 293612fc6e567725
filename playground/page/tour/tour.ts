import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Mrkdwn } from '../blocks/inlines.ts';
import { secondFrame } from '../frames.ts';
import { keep, readKept } from '../kept.ts';
import { useStore } from '../use-store.ts';
import { type Beginning, tourSteps } from './steps.ts';

/** The key under which the browser remembers how far the person came: a number, or `over`. */
const key = 'muster-tour';

/** Offers a guided tour on the first visit. The person does each step; the page sees when it is done. */
export function Tour(): VNode | null {
  const store = useStore();
  const [at, setAt] = useState(() => readKept('localStorage', key) ?? 'offer');
  const beginning = useRef<Beginning>({ state: store.state, at: Date.now() });
  const go = (next: string): void => {
    keep('localStorage', key, next);
    beginning.current = { state: store.state, at: Date.now() };
    setAt(next);
  };
  const step = tourSteps[Number(at)];
  // Before the paint, or the page would not see what happens right after a step began.
  useLayoutEffect(() => {
    if (step === undefined) return;
    const look = (): void => {
      if (step.isDone(store.state, beginning.current)) go(String(Number(at) + 1));
    };
    return store.subscribe(look);
  }, [store, at]);
  // Side by side, one card is enough.
  if (at === 'over' || window.name === secondFrame) return null;
  if (at === 'offer') {
    return html`<${Card} title="Two minutes, one incident">
      <p>A guided tour: you declare an incident, break the API under it, and resolve it. Slack is a stand-in; everything else is real.</p>
      <div class="actions">
        <button type="button" class="button primary solid" onClick=${() => go('0')}>Take the tour</button>
        <button type="button" class="button" onClick=${() => go('over')}>Look around alone</button>
      </div>
    </${Card}>`;
  }
  if (step === undefined) {
    return html`<${Card} title="That was an incident">
      <p>Everything that you did is on the incident’s page, and it survived an outage. Stories, and more to break, are behind the scenes.</p>
      <div class="actions"><button type="button" class="button primary" onClick=${() => go('over')}>Close</button></div>
    </${Card}>`;
  }
  return html`<${Card} title=${`${Number(at) + 1} of ${tourSteps.length}: ${step.title}`}>
    <p><${Mrkdwn} text=${step.words} /></p>
    <div class="actions">
      <button type="button" class="button small" onClick=${() => go(String(Number(at) + 1))}>Skip this step</button>
      <button type="button" class="button small" onClick=${() => go('over')}>Leave the tour</button>
    </div>
  </${Card}>`;
}

function Card({ title, children }: { readonly title: string; readonly children?: unknown }): VNode {
  return html`<section class="tour" aria-label="Guided tour" aria-live="polite"><h2>${title}</h2>${children}</section>`;
}
