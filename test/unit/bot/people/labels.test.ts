import { expect, test } from 'vitest';
import { withLabels } from '../../../../src/bot/people/mentions.ts';
import { toPlainText } from '../../../../src/bot/text/words.ts';
import { anna } from '../../../support/person.ts';

const channels: Readonly<Record<string, { name: string; isPrivate: boolean }>> = {
  C0GENERAL: { name: 'general', isPrivate: false },
  C0RENAMED: { name: 'new-name', isPrivate: false },
  G0SECRET: { name: 'layoffs', isPrivate: true },
};

/** Where people, channels and groups are looked up; `asked` counts the lists of groups. */
function openNames() {
  const asked = { groups: 0 };
  const deps = {
    people: { find: async (id: string) => (id === 'U1' ? { ...anna, userId: id, name: 'Anna <&> B' } : undefined) },
    channels: {
      look: async (id: string) => {
        if (id === 'C0BROKEN') throw new Error('Slack is away');
        return channels[id];
      },
    },
    slack: {
      groups: {
        handles: async () => {
          asked.groups += 1;
          return new Map([['S0SRE', 'sre-oncall']]);
        },
      },
      identity: { botUserId: 'U0BOT' },
    },
  };
  return { deps, asked };
}

test.each([
  ['moved to <#C0GENERAL>', 'moved to #general'],
  ['moved to <#C0GENERAL|>', 'moved to #general'],
  ['an old name: <#C0RENAMED|old-name>', 'an old name: #new-name'],
  ['moved to <#G0SECRET>', 'moved to #a channel'],
  ['moved to <#G0SECRET|layoffs>', 'moved to #a channel'],
  ['Slack tells nothing of <#C0NOWHERE>', 'Slack tells nothing of #a channel'],
  ['Slack is away: <#C0BROKEN>', 'Slack is away: #a channel'],
  ['Slack is away: <#C0BROKEN|typed>', 'Slack is away: #typed'],
  ['a direct message <#D0DIRECT>', 'a direct message #a channel'],
  ['ask <!subteam^S0SRE>', 'ask @sre-oncall'],
  ['ask <!subteam^S0SRE|@sre>', 'ask @sre'],
  ['ask <!subteam^S0NONE>', 'ask @a group'],
  ['<!subteam^S0SRE> and <!subteam^S0SRE>, <#C0GENERAL>', '@sre-oncall and @sre-oncall, #general'],
  ['<@U1>, <@U0BOT>, <@U0NOBODY> and <@U2|bob>', '@Anna <&> B, @Muster, @U0NOBODY and @bob'],
  ['&lt;#C0GENERAL&gt; is no channel', '<#C0GENERAL> is no channel'],
  ['nothing of the kind', 'nothing of the kind'],
])('“%s” reads “%s”', async (slackText, words) => {
  expect(toPlainText(await withLabels(openNames().deps, slackText))).toBe(words);
});

test('Slack is asked for groups only where one has no name', async () => {
  const { deps, asked } = openNames();
  await withLabels(deps, '<@U1> <#C0GENERAL> <!subteam^S0SRE|@sre>');
  expect(asked.groups).toBe(0);
  await withLabels(deps, '<!subteam^S0SRE>');
  expect(asked.groups).toBe(1);
});
