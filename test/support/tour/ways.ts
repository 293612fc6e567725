import type { Delivery } from '../../../playground/fake-slack/fake-slack.ts';
import { allVerbs, menuEntries } from '../../../src/bot/dispatch/feature/feature.ts';
import { features } from '../../../src/bot/features.ts';
import { parseCommand } from '../../../src/bot/grammar/grammar.ts';

/** Everything that people can use, such as `/task add`, `button task.done`, `form task.add` and `entry add_timeline`. */
export function allWays(): readonly string[] {
  return [
    ...allVerbs(features).map(({ noun, verb }) => `/${noun} ${verb}`),
    // The pages of the tour are open to everybody, so nobody needs a link of their own.
    ...features
      .flatMap(feature => feature.buttons ?? [])
      .flatMap(({ id, isGone }) => (id === 'pages.open' || isGone ? [] : `button ${id}`)),
    ...features.flatMap(feature => feature.modals ?? []).flatMap(({ id, isGone }) => (isGone ? [] : `form ${id}`)),
    ...menuEntries(features).map(({ id }) => `entry ${id}`),
  ];
}

/** Which of {@link allWays} Slack delivered. */
export function usedWays(deliveries: readonly Delivery[], commandRoot: string): ReadonlySet<string> {
  return new Set(deliveries.flatMap(each => wayOf(each.payload, commandRoot)));
}

function wayOf(payload: Delivery['payload'], commandRoot: string): readonly string[] {
  const { command, text, type, actions, view, callback_id: entry } = payload as Payload;
  if (command !== undefined) {
    const parsed = parseCommand(allVerbs(features), { root: command.slice(1), commandRoot, text: text ?? '' });
    return parsed.kind === 'verb' ? [`/${parsed.noun} ${parsed.verb}`] : [];
  }
  if (type === 'view_submission') return [`form ${view?.callback_id}`];
  if (type === 'shortcut' || type === 'message_action') return [`entry ${entry}`];
  return (actions ?? []).map(each => `button ${each.action_id}`);
}

interface Payload {
  readonly command?: string;
  readonly text?: string;
  readonly type?: string;
  readonly actions?: readonly { readonly action_id: string }[];
  readonly view?: { readonly callback_id: string };
  readonly callback_id?: string;
}
