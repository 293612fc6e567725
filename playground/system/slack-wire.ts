import type { CallOutcome, Delivery, FakeSlackOptions } from '../fake-slack/fake-slack.ts';
import type { Wire, WireAnswer } from './wire.ts';

/** What the fake Slack is opened with, so that its deliveries and the bot's calls stand on the wire. */
export function observeSlack(wire: Wire): Required<Pick<FakeSlackOptions, 'observeDelivery' | 'observeCall'>> {
  return {
    observeDelivery: delivery => {
      const end = wire.begin({ way: 'from Slack', name: nameOf(delivery), request: delivery.payload });
      return ({ status, failed, body }) =>
        end({
          outcome: failed === undefined ? 'ok' : status > 0 ? `${failed} (${status})` : failed,
          isFailure: failed !== undefined,
          response: body,
        });
    },
    observeCall: ({ method, args }) => {
      const end = wire.begin({ way: 'Web API', name: method, request: args });
      return outcome => end(toAnswer(outcome));
    },
  };
}

/** What a person did, such as `/incident`, `block_actions incident.resolve` or `app_mention`. */
function nameOf({ payload, retries }: Delivery): string {
  const { command, type, event, actions, view, callback_id: entry } = payload as Payload;
  const what = command ?? event?.type ?? [type, actions?.[0]?.action_id ?? view?.callback_id ?? entry].join(' ').trim();
  return retries > 0 ? `${what} (again)` : what;
}

interface Payload {
  readonly command?: string;
  readonly type?: string;
  readonly event?: { readonly type: string };
  readonly actions?: readonly { readonly action_id: string }[];
  readonly view?: { readonly callback_id: string };
  readonly callback_id?: string;
}

function toAnswer(outcome: CallOutcome): WireAnswer {
  if ('broken' in outcome) return { outcome: 'connection broken', isFailure: true, response: undefined };
  if ('silence' in outcome) return { outcome: 'no answer', isFailure: true, response: undefined };
  if ('halfOf' in outcome) return { outcome: 'half an answer', isFailure: true, response: outcome.halfOf.body };
  const { status, body } = outcome.answer;
  const response = toContent(body);
  const error = typeof response === 'object' && response !== null && 'error' in response ? response.error : undefined;
  const isFailure = status >= 400 || typeof error === 'string';
  const shown = typeof error === 'string' ? error : String(status);
  return { outcome: isFailure ? shown : 'ok', isFailure, response };
}

function toContent(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
