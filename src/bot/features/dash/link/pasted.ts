import type { Context } from '../../../dispatch/feature/context.ts';
import type { CommandDraft } from '../../../dispatch/feature/drafts.ts';
import type { Shortcut } from '../../../dispatch/feature/feature.ts';
import type { Settings } from '../../../incident/state/settings.ts';
import { readSlackText } from '../../../text/words.ts';
import { readDashboardAddress } from './address.ts';

/** The addresses of dashboards in a message, as they were pasted, each once. */
function addressesIn(slackText: string, settings: Settings): readonly string[] {
  const urls = [...readSlackText(slackText)].flatMap(token => (token.kind === 'link' ? [token.url] : []));
  return [...new Set(urls)].filter(url => readDashboardAddress(url, settings).kind !== 'none');
}

/** The shortcut that links the dashboards whose addresses stand in a message: `/dash link` with those addresses. */
export const linkPasted: Shortcut = {
  kind: 'message',
  id: 'link_dashboards',
  name: 'Link dashboards',
  description: 'Pin the dashboards of this message to a time, and note them on the incident’s timeline',
  run: async (ctx: Context, { text }) => {
    const addresses = addressesIn(text, ctx.deps.settings);
    if (addresses.length === 0) {
      return ctx.reject(
        'I linked nothing: that message has no dashboard address. Use the shortcut on one that has, or type `/dash link nginx`.',
      );
    }
    const draft: CommandDraft = { kind: 'command', root: 'dash', text: `link ${addresses.join(' ')}` };
    await ctx.resume(await ctx.deps.drafts.keep(ctx.actor, draft, ctx.key, ctx.now), draft, '');
  },
};
