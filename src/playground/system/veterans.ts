import type { KnownPerson } from '../../contract/define.ts';
import type { FakeSlack } from '../../fake-slack/fake-slack.ts';
import type { Veterans } from './history.ts';

/** The people of the past incidents under the ids that the bot gives them, so that they are the same people to everybody. */
export function toVeterans(slack: FakeSlack): Veterans {
  const toKnown = (name: string): KnownPerson => {
    const { id } = slack.person(name);
    return { userID: `slack:${id}`, slackUserID: id, slackTeamID: slack.teamId, name, email: `${name}@example.com` };
  };
  return { alice: toKnown('alice'), bob: toKnown('bob'), carol: toKnown('carol') };
}
