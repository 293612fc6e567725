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
const none: readonly string[] = [];

function Story({ story }: { readonly story: StoryView }): VNode {
  const store = useStore();
  const id = useId();
  const { name, title, steps, done, isPlaying, speed } = story;
  const command = (word: 'play' | 'pause' | 'step' | 'restart') => () =>
    store.act({ do: 'story', name, command: word });
  return html`<section class="story" aria-labelledby=${id}>
    <h2 id=${id}>${title}</h2>
    <progress max=${Math.max(steps.length, 1)} value=${done} aria-labelledby=${id}></progress>
    <p class="hint">${done} of ${steps.length} steps</p>
    <p role="status">${toStatus(story)}</p>
    <${Trouble} story=${story} />
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

/** Says why a story waits or has stopped, and what the person can do. */
function Trouble({ story: { awaits, problem } }: { readonly story: StoryView }): VNode | null {
  const faults = usePart(state => state.system?.faults ?? none);
  if (awaits === undefined && problem === undefined) return null;
  return html`
    ${problem && html`<p class="failure" role="alert">${problem.what}</p>`}
    ${faults.length > 0 && html`<p>You have broken something: ${faults.join(', ')}. Repair it under “Break things”.</p>`}
    ${
      problem &&
      html`<p>
        ${problem.goesOn && html`<b>Play</b> looks again, and goes on once it has happened. `}
        <b>Begin again</b> tells the story anew, with another incident. The incident of this telling stays open until
        somebody resolves it in its channel. The tabs Journal and Wire show the work of Muster.
      </p>`
    }
  `;
}

function toStatus({ steps, done, awaits, problem }: StoryView): string {
  if (problem !== undefined) return `The story has stopped at step ${done + 1}.`;
  if (awaits !== undefined) return `Waiting for this: ${awaits}`;
  if (done < steps.length) return `Next: ${steps[done]}`;
  return done > 0 ? 'The story is over. All of it happened as it should.' : '';
}
