import { z } from 'zod';
import type { PagerSetting } from '../../config/pager-settings.ts';
import { signatureHeader, signWebhook, verifyWebhook, webhookUserAgent } from '../../contract/webhook-signature.ts';
import type { Deadlines } from '../../deadlines.ts';
import { mustBeTaken, type Pager, type Post, pagerNamed, personName } from './pager.ts';

/** How far from the present an answer may have been signed, in seconds. */
const tolerance = 300;

/** What a tool says of a page. */
const Answer = z.object({
  key: z.string().min(1).max(200),
  state: z.enum(['acknowledged', 'resolved']),
  by: personName,
});

/** Any other tool, by a webhook that is signed as those of the service are (docs/api-rules.md A11). It answers in the same way. */
export function openWebhookPager(
  { name, url, secret }: Extract<PagerSetting, { kind: 'webhook' }>,
  { post, deadlines, clock }: { readonly post: Post; readonly deadlines: Deadlines; readonly clock: () => Date },
): Pager {
  const tell = async (told: Readonly<Record<string, unknown>>, signal: AbortSignal) => {
    const body = JSON.stringify({ pager: name, ...told });
    const headers = {
      'content-type': 'application/json',
      'user-agent': webhookUserAgent,
      [signatureHeader]: signWebhook(body, secret, clock()),
    };
    const whom = pagerNamed(name);
    mustBeTaken(name, await post({ whom, url, headers, body, timeout: deadlines.pager, signal }));
  };
  return {
    name,
    send: ({ key, title, why, by, incidentID, links, askedAt }, signal) =>
      tell({ event: 'page', key, incident: { id: incidentID, title }, why, by, links, askedAt }, signal),
    close: (key, signal) => tell({ event: 'over', key }, signal),
    isGenuine: (headers, body) => {
      const header = headers[signatureHeader.toLowerCase()];
      return (
        typeof header === 'string' && verifyWebhook(header, body, secret, { seconds: tolerance, now: clock() }).genuine
      );
    },
    hear: body => Answer.parse(body),
  };
}
