import type { Context } from '../../dispatch/feature/context.ts';
import { mustPass, NotAllowed, whyNotOfGroup } from '../../people/access.ts';
import { missingScope, refusalLevel, slackReason } from '../../slack/clients.ts';
import { listGroups } from '../../slack/group-handles.ts';
import { code, toMrkdwn } from '../../text/blocks.ts';

/** Throws {@link NotAllowed} unless the person is in the group whose members may page, where the team has one. */
export async function mustMayPage({ deps, actor, log }: Pick<Context, 'deps' | 'actor' | 'log'>): Promise<void> {
  const { group: wanted } = deps.pagers;
  if (wanted === '') return;
  const group = toMrkdwn(wanted, 100);
  const groups = await listGroups(deps.slack, { include_users: true }).catch((error: unknown) => {
    log[refusalLevel(error)](
      { reason: slackReason(error) },
      'pages: Slack does not say who is in the group that may page',
    );
    const scope = missingScope(error);
    throw new NotAllowed(
      scope === ''
        ? `Slack does not tell me right now who is in @${group}, whose members may page. Try again in a moment.`
        : `I cannot see who is in @${group}, whose members may page: my Slack app lacks the scope ${code(scope, 60)}. Tell your Muster administrator.`,
    );
  });
  const found = groups.find(({ id, handle }) => id === wanted || handle?.toLowerCase() === wanted.toLowerCase());
  const members = found && (found.users ?? []);
  mustPass(person => whyNotOfGroup(person, { group, members, act: 'page' }), actor);
}
