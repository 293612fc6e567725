import { features } from './features.ts';
import type { IntentKind } from './incident/acts/intent-kind.ts';
import { aimOf } from './incident/lines/did.ts';
import type { IntentTable } from './schema/intents.ts';
import { toPlainText, withoutFormatting } from './text/words.ts';

const kinds = new Map<string, IntentKind>(
  features.flatMap(feature => feature.intents ?? []).map(intent => [intent.kind, intent]),
);

/** What a stored intent is to do, in words such as “resolve incident 7”; its kind when this version cannot read it. */
export function describeIntent(row: IntentTable): string {
  const intent = kinds.get(row.kind);
  try {
    if (!intent) return row.kind;
    return toPlainText(withoutFormatting(aimOf(intent, intent.payload.parse(JSON.parse(row.payload)))));
  } catch {
    return `${row.kind}, stored by another version`;
  }
}
