import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { ViewContent } from '../blocks/view-content.ts';
import { nameOf } from '../names.ts';
import { useWorkspace } from '../use-store.ts';

/** The app's home tab. */
export function Home(): VNode {
  const { home, people, app } = useWorkspace();
  return html`<header class="channel-header"><div class="channel-title"><h1>${nameOf(people, app)}</h1><span class="tag">Home</span></div></header>
    <div class="scroll home">
      ${
        home === undefined
          ? html`<p class="waiting">The app has published no home tab. Its commands work in every channel.</p>`
          : html`<${ViewContent} key=${home.id} view=${home} formId="home" />`
      }
    </div>`;
}
