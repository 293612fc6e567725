import { checkBlocks } from '../block-kit/blocks.ts';
import { withIds } from '../block-kit/ids.ts';
import { isJsonObject, type JsonObject, toObjects } from '../protocol/json.ts';
import { invalidPayload, SlackError } from '../protocol/slack-error.ts';
import type { Workspace } from './workspace.ts';

/** The checked content of a message, with ids filled in. */
export interface Content {
  readonly text: string;
  readonly blocks: readonly JsonObject[];
  readonly attachments: readonly JsonObject[];
}

/** The content of a message as an app sends it, unchecked. */
export interface Sent {
  readonly text: string | undefined;
  readonly blocks: unknown;
  readonly attachments: unknown;
}

/** Characters of a new message's text. Slack cuts the rest (docs/slack.md 5). */
const textLimit = 40_000;

/** Checks the content of a message, as `chat.postMessage` and `response_url` do (docs/slack.md 5). Throws Slack's refusal. */
export function toContent(sent: Sent, { randomId }: Pick<Workspace, 'randomId'>): Content {
  const blocks = sent.blocks ?? [];
  const attachments = sent.attachments ?? [];
  if (!Array.isArray(blocks) || !blocks.every(isJsonObject)) throw new SlackError('invalid_blocks_format');
  if (!Array.isArray(attachments)) throw new SlackError('invalid_attachments');
  if (attachments.length > 100) throw new SlackError('too_many_attachments');
  if (sent.text === undefined && blocks.length === 0 && attachments.length === 0) throw new SlackError('no_text');
  const issues = [
    ...checkBlocks({ blocks }, '', 'message'),
    ...toObjects(attachments).flatMap((attachment, index) =>
      checkBlocks(attachment, `/attachments/${index}`, 'message'),
    ),
  ];
  if (issues.length > 0) throw invalidPayload('invalid_blocks', issues);
  return {
    text: (sent.text ?? '').slice(0, textLimit),
    blocks: withIds(blocks, randomId),
    attachments: toObjects(attachments).map(attachment => ({
      ...attachment,
      ...(attachment.blocks === undefined ? {} : { blocks: withIds(toObjects(attachment.blocks), randomId) }),
    })),
  };
}
