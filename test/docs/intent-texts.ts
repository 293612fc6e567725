import { type Inline, parseMrkdwn } from '../../playground/fake-slack/block-kit/mrkdwn.ts';
import { features } from '../../src/bot/features.ts';
import type { IntentKind } from '../../src/bot/incident/acts/intent-kind.ts';
import { type About, aimOf, linesOf, receiptOf } from '../../src/bot/incident/lines/did.ts';
import type { StoredIntent } from '../support/readings/team.ts';
import { steady } from './steady.ts';

/** The one sentence of a kind of intent in its three forms, by an example. `""`: nobody reads that form. */
export interface IntentTexts {
  readonly kind: string;
  readonly waits: string;
  readonly person: string;
  readonly room: string;
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
      .toSorted((one, other) => lengthOf(other) - lengthOf(one) || (wordsOf(one) < wordsOf(other) ? -1 : 1));
    return all.slice(0, 1);
  });
}

const wordsOf = (texts: IntentTexts) => Object.values(texts).join('\n');
const lengthOf = ({ room, person }: IntentTexts) => (room === '' ? 0 : 10_000) + person.length + room.length;

function textsOf(kind: IntentKind, done: StoredIntent, severities: readonly string[]): IntentTexts {
  const payload = kind.payload.parse(JSON.parse(done.payload));
  const result = kind.result.parse(JSON.parse(done.outcome));
  const settings = { severities, apiName: 'Muster’s own service' } as NonNullable<About['line']>['settings'];
  const line = { by, userId: 'U0123', settings, isUnsure: false, severity: '' };
  const lines = linesOf(kind, payload, result, line);
  const toText = (mrkdwn: string) => steady(toWords(mrkdwn)).replaceAll('\n', ' ');
  return {
    kind: kind.kind,
    waits: toText(`I’ll ${aimOf(kind, payload)}.`),
    person: toText(receiptOf(kind, payload, { result, repeated: false, isUnsure: false }, 'U0123').text),
    room: toText(lines.map(each => (typeof each === 'string' ? each : each.words)).join(' / ')),
  };
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
