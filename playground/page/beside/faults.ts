import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { type FaultName, faultNames, type SystemView } from '../../workspace/protocol.ts';
import { usePart, useStore } from '../use-store.ts';

/** What each switch breaks, and what to watch. */
const remarks: Readonly<Record<FaultName, string>> = {
  'API down':
    'Nobody answers Muster’s calls. Declare all the same: the journal keeps it, and carries it out once the API is back.',
  'API slow': 'Each call takes four seconds. People are answered at once.',
  'Answers lost':
    'Each call takes effect, then the connection breaks. Muster looks before it tries again, so nothing happens twice.',
  'Slack rate-limits': 'Slack answers 429. Muster waits as long as Slack says, and loses nothing.',
  'Classic blocks':
    'Slack refuses its newer blocks, as a workspace that is behind does. Post a list to a channel: Muster sends classic blocks at once, and does so for a day, or until the bot is started again.',
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
export function Faults(): VNode {
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
