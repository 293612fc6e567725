import type { Channel, Message } from '../../../../playground/fake-slack/fake-slack.ts';
import { bears } from '../people/acts.ts';
import { overtaking } from './changes.ts';
import { type Complaint, type Evidence, isOwnUser } from './evidence.ts';

/** No channel, card, pin, announcement, bookmark or line in a channel stands in Slack twice. */
export function nothingTwice(evidence: Evidence): readonly Complaint[] {
  const { world, incidents } = evidence;
  const announcements = world.slack.channel(world.settings.announceChannel);
  const several = (things: readonly unknown[], what: string): Complaint[] =>
    things.length > 1 ? [`there are ${things.length} ${what}`] : [];
  const ofMark = incidents.flatMap(({ title, id }) => {
    const mark = title.split(' ', 1)[0] ?? '';
    const channels = world.slack.channels.filter(
      each => each.creator === world.slack.botUserId && new RegExp(`(^|-)${mark}-`).test(each.name),
    );
    const isCard = (message: Message) =>
      isPublic(message) && /^:?.*Incident /.test(message.text) && bears(message.text, mark);
    return [
      ...several(channels, `channels for “${title}”: ${channels.map(each => each.name).join(', ')}`),
      ...several(announcements.messages.filter(isCard), `announcements of “${title}”`),
      ...channels.flatMap(channel => [
        ...several(channel.messages.filter(isCard), `cards of “${title}”`),
        ...several(
          channel.messages.filter(each => each.pinned),
          `pins in #${channel.name}`,
        ),
        ...several(channel.bookmarks, `bookmarks in #${channel.name}`),
        ...lines(evidence, channel, id),
      ]),
    ];
  });
  return [...ofMark, ...samePosts(evidence)];
}

/** No line about a change without a change. */
function lines(evidence: Evidence, channel: Channel, id: number): Complaint[] {
  const { activity } = evidence;
  const overtaken = overtaking(evidence, id);
  const count = (sign: RegExp) => channel.messages.filter(each => isPublic(each) && sign.test(each.text)).length;
  const changes = (kind: string) =>
    activity.filter(row => row.incident_id === id && row.kind === kind && isOwnUser(evidence, row.user_id)).length +
    overtaken.filter(each => each.item.kind === kind).length;
  const check = (what: string, said: number, were: number) =>
    said > were ? [`#${channel.name} tells of ${said} ${what}, and there were ${were}`] : [];
  return [
    ...check('changes of severity', count(/^\S+ Severity \w+: /), changes('incidentSeverityChanged')),
    ...check(
      'changes of status',
      count(/^\S+ (Drill )?(resolved after|reopened –)/i),
      changes('incidentStatusChanged'),
    ),
  ];
}

/** No two messages are for the same part of the same intent. */
function samePosts({ world }: Evidence): Complaint[] {
  const seen = new Set<string>();
  return world.slack.channels.flatMap(channel =>
    channel.messages.flatMap(message => {
      const payload = message.metadata?.event_payload;
      if (payload === undefined || !isPublic(message)) return [];
      const name = `${channel.id} ${JSON.stringify(payload)}`;
      if (seen.has(name)) return [`#${channel.name} has twice what was posted for ${JSON.stringify(payload)}`];
      seen.add(name);
      return [];
    }),
  );
}

function isPublic(message: Message): boolean {
  return (
    message.botId !== undefined &&
    message.ephemeralTo === undefined &&
    !message.deleted &&
    message.subtype === undefined
  );
}
