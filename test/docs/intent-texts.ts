import { type Inline, parseMrkdwn } from '../../playground/fake-slack/block-kit/mrkdwn.ts';
import { features } from '../../src/bot/features.ts';
import type { IntentKind } from '../../src/bot/incident/acts/intent-kind.ts';
import type { LineContext } from '../../src/bot/incident/lines/of-act.ts';
import type { StoredIntent } from '../support/readings/team.ts';
import { steady } from './steady.ts';

/** What a kind of intent says, with an example of each. */
export interface IntentTexts {
  readonly kind: string;
  readonly texts: readonly (readonly [what: string, text: string])[];
}

const by = '@bob';

/** The texts of each kind of intent that the life submitted, from its own payloads and results. */
export function intentTexts(stored: readonly StoredIntent[], severities: readonly string[]): readonly IntentTexts[] {
  const kinds = features.flatMap(feature => feature.intents ?? []) as readonly IntentKind[];
  return kinds.flatMap(kind => {
    const all = stored
      .filter(each => each.kind === kind.kind && each.state === 'done')
      .map(each => textsOf(kind, each, severities))
      // The one that says the most; the same one in each run.
      .toSorted((one, other) => other.length - one.length || (String(one) < String(other) ? -1 : 1));
    return all[0] ? [{ kind: kind.kind, texts: all[0] }] : [];
  });
}

function textsOf(kind: IntentKind, done: StoredIntent, severities: readonly string[]): IntentTexts['texts'] {
  const payload = kind.payload.parse(JSON.parse(done.payload));
  const result = kind.result.parse(JSON.parse(done.outcome));
  const about = {
    by,
    userId: 'U0123',
    settings: { severities, apiName: 'Muster’s own service' } as LineContext['settings'],
    isUnsure: false,
    severity: '',
  };
  const lines = [kind.room?.line?.(result, payload, about) ?? []].flat();
  const texts = [
    ['not done', `I could not ${kind.describe(payload)}.`],
    ['done', toWords(kind.answer.receipt(result, payload, false).text)],
    ['done already', toWords(kind.answer.receipt(result, payload, true).text)],
    ...lines.map(line => ['line', toWords(typeof line === 'string' ? line : line.words)] as const),
  ] as const;
  return texts
    .map(([what, text]) => [what, steady(text)] as const)
    .filter(([, text], at, all) => text !== all[at - 1]?.[1]);
}

function toWords(mrkdwn: string): string {
  const words = (nodes: readonly Inline[]): string =>
    nodes
      .map(node => {
        if (node.kind === 'text') return node.text;
        if (node.kind === 'date') return node.fallback;
        if (node.kind === 'emoji') return `:${node.name}:`;
        if (node.kind === 'link') return node.label ?? node.url;
        if (node.kind === 'person') return '@somebody';
        if (node.kind === 'channel') return '#channel';
        return 'children' in node ? words(node.children) : '';
      })
      .join('');
  return words(parseMrkdwn(mrkdwn));
}
