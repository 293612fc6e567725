import { toObject } from '../../json-object.ts';
import { askSlack } from '../slack/ask-slack.ts';
import { type Finding, failing, ok, unknown } from './finding.ts';
import type { Installation } from './installation.ts';
import type { SlackView } from './slack-view.ts';

const subject = 'announcement channel';
const stops = 'announcements of incidents';

/** Whether incidents can be announced: the channel exists, is not archived, and the bot may post there. */
export async function checkAnnouncements(
  installation: Pick<Installation, 'announceChannel' | 'slackApiUrl' | 'botToken' | 'deadlines'>,
  { auth }: { readonly auth: Pick<SlackView['auth'], 'error' | 'scopes'> },
): Promise<Finding> {
  const { announceChannel: id, botToken } = installation;
  if (id === '') return ok(subject, 'None is set (ANNOUNCE_CHANNEL), so incidents are not announced.');
  if (auth.error !== '') return unknown(subject, `Slack does not show ${id}.`, stops, 'Fix the bot token first.');
  const { body, error } = await askSlack(installation, botToken, 'conversations.info', { channel: id });
  const another =
    'Put the id of another channel into ANNOUNCE_CHANNEL (Slack: the channel’s details, at the very bottom).';
  if (error === 'missing_scope') {
    return unknown(
      subject,
      `Slack does not show ${id} without the scope channels:read or groups:read.`,
      stops,
      'Add the scope.',
    );
  }
  if (error === 'unreachable') return unknown(subject, 'Slack does not answer.', stops, 'Run the doctor again.');
  if (error !== '') {
    const found = `Slack does not show ${id}: ${error}. It does not exist, or it is private and the bot is not in it.`;
    return failing(subject, found, stops, `In that channel, type /invite @Muster. ${another}`);
  }
  const channel = toFacts(body.channel);
  if (channel.isArchived) {
    return failing(subject, `#${channel.name} is archived.`, stops, `Unarchive #${channel.name} in Slack. ${another}`);
  }
  if (!channel.isMember && (channel.isPrivate || auth.scopes?.includes('chat:write.public') === false)) {
    const found = `The bot is not in #${channel.name}.`;
    return failing(subject, found, stops, `In #${channel.name}, type /invite @Muster.`);
  }
  if (auth.scopes?.includes('chat:write') === false) {
    return failing(
      subject,
      'The bot may not post: the scope chat:write is missing.',
      stops,
      'Add the scope chat:write.',
    );
  }
  return ok(subject, `The bot may post in #${channel.name}.`);
}

function toFacts(channel: unknown) {
  const { name = '', is_archived, is_private, is_member } = toObject(channel);
  return {
    name: String(name),
    isArchived: is_archived === true,
    isPrivate: is_private === true,
    isMember: is_member === true,
  };
}
