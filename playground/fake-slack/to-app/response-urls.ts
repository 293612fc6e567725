import { type JsonObject, toText } from '../protocol/json.ts';
import { SlackError } from '../protocol/slack-error.ts';
import { edit, post, remove } from '../workspace/channel-log.ts';
import { toContent } from '../workspace/message-content.ts';
import type { StoredMessage } from '../workspace/records.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** Uses of a `response_url`, and its life in milliseconds (docs/slack.md 4). */
const uses = 5;
const lifeMs = 30 * 60 * 1000;

interface ResponseUrl {
  readonly userId: string;
  readonly channelId: string;
  readonly issuedAt: number;
  left: number;
  original: StoredMessage | undefined;
}

/** The answer to a POST to a `response_url`. */
export interface ResponseUrlAnswer {
  readonly status: number;
  readonly body: JsonObject | 'ok';
}

/** The `response_url`s handed out with commands, clicks and message shortcuts. */
export class ResponseUrls {
  readonly #workspace: Workspace;
  readonly #base: string;
  readonly #urls = new Map<string, ResponseUrl>();

  constructor(workspace: Workspace, base: string) {
    this.#workspace = workspace;
    this.#base = base;
  }

  /** A fresh address for a person in a channel. `original` is the message that `replace_original` replaces. */
  issue(userId: string, channelId: string, original?: StoredMessage): string {
    const id = `${this.#workspace.teamId}/${this.#urls.size + 1}/${this.#workspace.randomId()}`;
    this.#urls.set(id, { userId, channelId, issuedAt: this.#workspace.now().getTime(), left: uses, original });
    return `${this.#base}${id}`;
  }

  /** Shows the message in an app's acknowledgement. The app can replace it through the address later. */
  showAcknowledgement(url: string, body: JsonObject): StoredMessage {
    const known = this.#urls.get(url.slice(this.#base.length));
    if (known === undefined) throw new SlackError('expired_url');
    known.original = this.#show(known, body);
    return known.original;
  }

  /** Answers a POST with "ok", or with 404 and `used_url` or `expired_url` (docs/slack.md 4). */
  respond(id: string, body: JsonObject): ResponseUrlAnswer {
    const url = this.#urls.get(id);
    if (url === undefined || this.#workspace.now().getTime() - url.issuedAt > lifeMs) return no(404, 'expired_url');
    if (url.left === 0) return no(404, 'used_url');
    try {
      if (body.delete_original === true || body.delete_original === 'true') {
        if (url.original !== undefined && !url.original.deleted) remove(this.#workspace, url.original);
      } else if (isReplacing(body) && url.original !== undefined && !url.original.deleted) {
        edit(this.#workspace, url.original, this.#workspace.botUserId, contentOf(body, this.#workspace));
      } else {
        const shown = this.#show(url, body);
        url.original ??= shown;
      }
    } catch (error) {
      if (error instanceof SlackError) return { status: 400, body: { ok: false, error: error.code, ...error.details } };
      throw error;
    }
    url.left -= 1;
    return { status: 200, body: 'ok' };
  }

  #show(url: ResponseUrl, body: JsonObject): StoredMessage {
    const channel = this.#workspace.channels.get(url.channelId);
    if (channel === undefined) throw new SlackError('channel_not_found');
    const threadTs = toText(body.thread_ts);
    return post(this.#workspace, channel, {
      ...contentOf(body, this.#workspace),
      userId: this.#workspace.botUserId,
      botId: this.#workspace.botId,
      threadTs: threadTs === '' ? undefined : threadTs,
      ephemeralTo: body.response_type === 'in_channel' ? undefined : url.userId,
    });
  }
}

function contentOf(body: JsonObject, workspace: Workspace) {
  const text = toText(body.text);
  const sent = { text: text === '' ? undefined : text, blocks: body.blocks, attachments: body.attachments };
  return toContent(sent, workspace);
}

function isReplacing(body: JsonObject): boolean {
  return body.replace_original === true || body.replace_original === 'true';
}

function no(status: number, error: string): ResponseUrlAnswer {
  return { status, body: { ok: false, error } };
}
