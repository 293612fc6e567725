import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useId } from 'preact/hooks';
import type { StoryView } from '../../workspace/protocol.ts';
import { usePart, useStore } from '../use-store.ts';

/** The stories that play by themselves in this workspace. */
export function Stories(): VNode {
  const stories = usePart(state => state.stories);
  if (stories.length === 0) return html`<p class="hint">There is no story.</p>`;
  return html`${stories.map(story => html`<${Story} key=${story.name} story=${story} />`)}`;
}

const speeds = [0.5, 1, 2, 4];

function Story({ story }: { readonly story: StoryView }): VNode {
  const store = useStore();
  const id = useId();
  const { name, title, steps, done, isPlaying, speed, problem } = story;
  const command = (word: 'play' | 'pause' | 'step' | 'restart') => () =>
    store.act({ do: 'story', name, command: word });
  const next = steps[done];
  return html`<section class="story" aria-labelledby=${id}>
    <h2 id=${id}>${title}</h2>
    <progress max=${Math.max(steps.length, 1)} value=${done} aria-labelledby=${id}></progress>
    <p class="hint">${done} of ${steps.length} steps</p>
    <p role="status">${next === undefined ? (done > 0 ? 'The story is over.' : '') : `Next: ${next}`}</p>
    ${problem !== undefined && html`<p class="error">${problem}</p>`}
    <div class="actions">
      ${
        isPlaying
          ? html`<button type="button" class="button small" onClick=${command('pause')}>Pause</button>`
          : html`<button type="button" class="button small primary" onClick=${command('play')}>Play</button>`
      }
      <button type="button" class="button small" onClick=${command('step')}>Step</button>
      <button type="button" class="button small" onClick=${command('restart')}>Begin again</button>
      <label>Speed <select value=${speed} onChange=${(event: Event) => {
        if (!(event.currentTarget instanceof HTMLSelectElement)) return;
        void store.act({
          do: 'story',
          name,
          command: isPlaying ? 'play' : 'pause',
          speed: Number(event.currentTarget.value),
        });
      }}>${speeds.map(each => html`<option value=${each}>${each}×</option>`)}</select></label>
    </div>
  </section>`;
}
