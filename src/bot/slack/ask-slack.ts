import type { Deadlines } from '../../deadlines.ts';
import { toObject } from '../../json-object.ts';
import { trimEnd } from '../../trim-end.ts';

/** What Slack answers to one call, and the facts of the exchange that Slack's own client leaves out. */
export interface SlackAnswer {
  /** The answer's members; empty when no answer of Slack's came. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Slack's word for a refusal, `unreachable` when no answer of Slack's came, and `""` when it is well. */
  readonly error: string;
  /** The scopes of the token (docs/slack.md 7); undefined when Slack does not tell. */
  readonly scopes: readonly string[] | undefined;
  /** Slack's clock, to the second; undefined when it did not tell. */
  readonly date: Date | undefined;
}

const usualApiUrl = 'https://slack.com/api/';

/**
 * Makes one call to the Web API without Slack's client: the doctor needs the headers of the answer, and tokens other than the bot's.
 * It neither waits for rate limits nor repeats, and it never throws.
 */
export async function askSlack(
  {
    slackApiUrl,
    deadlines,
  }: {
    /** Base address of the Web API; `""` for Slack's own. */
    readonly slackApiUrl: string;
    readonly deadlines: Deadlines;
  },
  token: string,
  method: string,
  args: Readonly<Record<string, string>> = {},
): Promise<SlackAnswer> {
  try {
    const response = await fetch(`${trimEnd(slackApiUrl || usualApiUrl, /\//)}/${method}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(args).toString(),
      signal: AbortSignal.timeout(deadlines.slackProbe),
    });
    const body = toObject(await response.json());
    const scopes = response.headers.get('x-oauth-scopes');
    const date = new Date(response.headers.get('date') ?? '');
    // The page of some proxy is no word of Slack's.
    const word = typeof body.error === 'string' && /^[a-z_]{1,60}$/.test(body.error) ? body.error : 'unreachable';
    return {
      body,
      error: body.ok === true ? '' : word,
      scopes: scopes?.split(',').map(each => each.trim()),
      date: Number.isNaN(date.getTime()) ? undefined : date,
    };
  } catch {
    return { body: {}, error: 'unreachable', scopes: undefined, date: undefined };
  }
}
