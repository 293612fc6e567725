import { html } from 'htm/preact';
import type { VNode } from 'preact';
import type { PersonView } from '../../workspace/protocol.ts';
import { writeAddress } from '../address.ts';
import { isBesideAnother } from '../frames.ts';
import { usePart, useWorkspace } from '../use-store.ts';

const kinds: Readonly<Record<PersonView['kind'], string>> = {
  member: '',
  admin: ', administrator',
  guest: ', guest',
  outsider: ', from another company',
  app: ', app',
};

/** The bar above everything: the workspace, the person who acts, and switches of what stands beside. */
export function TopBar(props: {
  readonly isListOpen: boolean;
  readonly onList: () => void;
  readonly isBesideOpen: boolean;
  readonly onBeside: () => void;
  readonly onHelp: () => void;
}): VNode {
  const { team, me, people } = useWorkspace();
  const isOnline = usePart(state => state.isOnline);
  const channel = usePart(state => state.channel);
  const humans = people.filter(each => each.kind !== 'app' && !each.isDeactivated);
  const self = people.find(each => each.id === me);
  const other = humans.find(each => each.id !== me);
  const change = (event: Event): void => {
    if (event.currentTarget instanceof HTMLSelectElement)
      location.assign(`/${writeAddress({ as: event.currentTarget.value, channel })}`);
  };
  return html`<header class="top-bar">
    <button type="button" class="icon-button list-switch" aria-expanded=${String(props.isListOpen)} onClick=${props.onList}>
      <span aria-hidden="true">☰</span><span class="out-of-sight">Channels</span>
    </button>
    <strong class="team">${team}</strong>
    <label class="acting">
      <span>Acting as</span>
      <select value=${self?.name} onChange=${change}>
        ${humans.map(each => html`<option value=${each.name}>${each.realName}${kinds[each.kind]}</option>`)}
      </select>
    </label>
    ${isBesideAnother() && html`<a href=${`/${writeAddress({ as: self?.name, channel })}`} target="_top">One window</a>`}
    ${
      other !== undefined &&
      !isBesideAnother() &&
      html`<a class="wide-only" href=${`/${writeAddress({ as: other.name })}`} target="_blank">New window</a>
        <a class="wide-only" href=${`/${writeAddress({ beside: `${self?.name},${other.name}` })}`}>Side by side</a>`
    }
    <span class="line-state" role="status">${isOnline ? '' : 'Reconnecting…'}</span>
    <button type="button" class="button small wide-only" aria-haspopup="dialog" onClick=${props.onHelp}>Help</button>
    <button type="button" class="button small" aria-pressed=${String(props.isBesideOpen)} onClick=${props.onBeside}>
      Behind the scenes
    </button>
  </header>`;
}
