import { slackReason } from '../../slack/clients.ts';
import { actions, section } from '../../text/blocks.ts';
import { tellPerson } from '../answers/tell-person.ts';
import type { Context } from '../feature/context.ts';
import { pressable } from '../feature/feature.ts';
import { resumeButton } from '../feature/resume.ts';

/** What a person can do at once: the label of a button, and the command it stands for. */
const firstSteps = [
  ['Declare an incident', 'declare'],
  ['List incidents', 'list'],
  ['Help', 'help'],
] as const;

const lines = [
  '*Hello, I am Muster: I run incidents.*',
  'Write to me as you would type a command, without the slash: `declare checkout is down`, or `note rolled back to v41`.',
  'In an incident’s channel, `/note …` or a mention of me does the same, and `help` shows what else there is.',
];

/**
 * Greets a person who writes to the bot for the first time; returns whether it did. A greeting that Slack does not take is not worth
 * losing the answer for.
 */
export async function greet(ctx: Context): Promise<boolean> {
  const { deps, actor, location, key, now, log } = ctx;
  try {
    if (!(await deps.greetings.isFirst(actor, now))) return false;
    const rows = firstSteps.map(async ([label, text]) => {
      const draft = await deps.drafts.keep(actor, { kind: 'command', root: 'mention', text }, key, now);
      return actions([pressable(resumeButton, { draft, incidentID: '' }, { label })]);
    });
    const text = lines.join('\n');
    const words = { text, blocks: [section(text), ...(await Promise.all(rows))] };
    await tellPerson(deps.slack, { userId: actor.userId, location }, words, { unsure: 'directly', log });
    return true;
  } catch (error) {
    log.warn({ reason: slackReason(error) }, 'greeting: could not greet a person');
    return false;
  }
}
