import { html, render } from 'htm/preact';
import type { VNode } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { type Address, readAddress, writeAddress } from './address.ts';
import { connect } from './connect.ts';
import { secondFrame } from './frames.ts';
import { Shell } from './shell/shell.ts';
import { Store } from './store.ts';
import { StoreContext } from './use-store.ts';

/** The page: one person's Slack, or two people's beside each other in frames of their own. */
function Page({ address }: { readonly address: Address }): VNode {
  if (address.beside !== undefined) return html`<${Pair} people=${address.beside} />`;
  return html`<${Client} address=${address} />`;
}

function Client({ address }: { readonly address: Address }): VNode {
  const { as = '', channel, thread, message, story } = address;
  const store = useMemo(() => new Store(hearer => connect(as, hearer), { channel, thread, message }), [as]);
  useEffect(() => () => store.close(), [store]);
  useEffect(() => {
    if (story !== undefined) void store.act({ do: 'story', name: story.name, command: 'restart', upTo: story.step });
  }, [store]);
  return html`<${StoreContext.Provider} value=${store}><${Shell} /></${StoreContext.Provider}>`;
}

function Pair({ people }: { readonly people: readonly [string, string] }): VNode {
  return html`<main class="pair" aria-label="Two people">
    ${people.map((as, index) => html`<iframe key=${as} name=${index === 0 ? 'first' : secondFrame} title=${`Acting as ${as}`} src=${`/${writeAddress({ as })}`}></iframe>`)}
  </main>`;
}

const root = document.getElementById('page');
if (root !== null) render(html`<${Page} address=${readAddress(location.search)} />`, root);
