import { whyNotOfGroup } from '../../people/reach.ts';
import { missingScope, refusalLevel, slackReason } from '../../slack/clients.ts';
import { code, toMrkdwn } from '../../text/blocks.ts';
import type { Context } from '../feature/context.ts';

/**
 * Why a person may not do what a team keeps for the members of one of its Slack groups, as a sentence for them; undefined when they may.
 * `group` is its handle or id, `""` where everybody may; `act` is the end of a sentence (mrkdwn).
 */
export async function whyNotMember(
  { deps, actor, log }: Context,
  { group: wanted, act }: { readonly group: string; readonly act: string },
): Promise<string | undefined> {
  if (wanted === '') return undefined;
  const group = toMrkdwn(wanted.replace(/^@/, ''), 100);
  try {
    const found = await deps.slack.groups.find(wanted);
    const members = found && (await deps.slack.groups.members(found));
    return whyNotOfGroup(actor, { group, members, act });
  } catch (error) {
    log[refusalLevel(error)]({ reason: slackReason(error) }, 'rights: Slack does not say who is in a group');
    const scope = missingScope(error);
    return scope === ''
      ? `Slack does not tell me right now who is in @${group}, whose members may ${act}. Try again in a moment.`
      : `I cannot see who is in @${group}, whose members may ${act}: my Slack app lacks the scope ${code(scope, 60)}. Tell your Muster administrator.`;
  }
}
