import { isJsonObject, type JsonObject } from '../protocol/json.ts';
import { SlackError } from '../protocol/slack-error.ts';
import type { Arguments } from './arguments.ts';

/** Characters of metadata as JSON. Slack has a limit without a published figure (docs/slack.md 7); ours is small on purpose. */
const sizeLimit = 3000;

/**
 * The metadata a message is to carry: `undefined` when the call says nothing of it, `'none'` for an empty object, which takes
 * away what is there. Its payload is flat (docs/slack.md 7).
 */
export function toMetadata(args: Arguments): JsonObject | 'none' | undefined {
  const metadata = args.json('metadata', 'invalid_metadata_format');
  if (metadata === undefined) return undefined;
  if (!isJsonObject(metadata)) throw new SlackError('invalid_metadata_format');
  if (Object.keys(metadata).length === 0) return 'none';
  const { event_type: type, event_payload: payload } = metadata;
  if (
    typeof type !== 'string' ||
    !/^\w+$/.test(type) ||
    !isJsonObject(payload) ||
    !Object.values(payload).every(isPlain)
  ) {
    throw new SlackError('invalid_metadata_schema');
  }
  if (JSON.stringify(metadata).length > sizeLimit) throw new SlackError('metadata_too_large');
  return { event_type: type, event_payload: payload };
}

function isPlain(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}
