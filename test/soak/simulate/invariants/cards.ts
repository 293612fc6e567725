import { blocksOf } from '../../../../playground/fake-slack/block-kit/message-blocks.ts';
import {
  announcementParts,
  type CardInput,
  cardParts,
  partsBlocks,
} from '../../../../src/bot/incident/board/card-view.ts';
import { stubWords } from '../../../../src/bot/incident/board/unregistered-card.ts';
import { parseSources } from '../../../../src/bot/incident/state/room-store.ts';
import { toWebUrl } from '../../../../src/bot/incident/state/settings.ts';
import { mention } from '../../../../src/bot/text/blocks.ts';
import type { Incident } from '../../../../src/contract/incidents.ts';
import { isLeftBehind } from './archives.ts';
import type { Complaint, Evidence } from './evidence.ts';

/** What an announcement says of an incident without a channel. */
const saysNoChannel = /It has no channel\./;

/**
 * Card and announcement of each incident say what the API says. Where people of another organisation read, the card is a stub.
 */
export function cardsTrue(evidence: Evidence): readonly Complaint[] {
  const { world, incidents, rooms, shown } = evidence;
  const wrong = updatesTrue(evidence);
  if (wrong.length > 0) return wrong;
  return incidents.flatMap(({ id, title }) => {
    const room = rooms.find(each => each.incident_id === String(id));
    const incident = shown.get(id);
    const mayLack = world.plan.refusals.length > 0;
    // Nobody declared it who would be told that Slack refused its channel.
    const isOfAlert = evidence.offers.some(({ offer }) => offer.incident_id === String(id));
    if (!room || !incident) return mayLack ? [] : [`incident “${title}” has no place in Slack`];
    const known: CardInput = {
      incident,
      api: world.settings.apiName,
      severities: world.settings.severities,
      commander: world.settings.commanderRole,
      people: namedPeople(evidence, incident),
      absent: absentees(evidence, incident),
      declarer: '',
      // The page of a private incident opens for nobody here.
      overview: incident.incidentType === 'private' ? '' : toWebUrl(world.settings, incident.overviewURL),
      sources: parseSources(room.sources),
      lead: evidence.updates.get(id)?.lead,
      update: evidence.updates.get(id)?.update,
      alerts: evidence.offers.filter(each => each.offer.incident_id === String(id)),
      insiders: room.channel_id !== '' && world.slack.channel(room.channel_id).isPrivate ? 0 : undefined,
    };
    const check = (
      what: string,
      channel: string,
      ts: string,
      facts: readonly (readonly object[])[],
      isAsked: boolean,
    ): Complaint[] => {
      if (ts === '' || channel === '') return isAsked && !mayLack ? [`“${title}” has no ${what}`] : [];
      const message = world.slack.channel(channel).messages.find(each => each.ts === ts);
      if (!message) return [`the ${what} of “${title}” is not there`];
      const stub = stubWords(String(id)).blocks ?? [];
      const isShared = world.slack.channel(channel).isExtShared;
      const allowed = world.witness.readers.isUntold(channel) ? [...facts, stub] : isShared ? [stub] : facts;
      const found = blocksOf(message)
        .filter(block => block.type !== 'actions' && !(isOfAlert && saysNoChannel.test(JSON.stringify(block))))
        .map(plain);
      const toText = (blocks: readonly object[]) => {
        const text = withNames(evidence, blocks);
        // Who left, and is back, is of no interest once an incident is over.
        return incident.status === 'resolved' ? text.replaceAll(' (has left)', '') : text;
      };
      return allowed.some(wanted => toText(found) === toText(wanted.map(plain)))
        ? []
        : [
            `the ${what} of “${title}” is not what the API says: ${JSON.stringify(found)} in place of ${JSON.stringify(allowed[0])}`,
          ];
    };
    const isOpen = room.is_private === 0 && !world.witness.readers.roomOf(title.split(' ', 1)[0] ?? '')?.isPrivate;
    const way = { channelId: room.channel_name === '' ? '' : room.channel_id };
    // What became of the channel later may show with the next change.
    const isLeft = isLeftBehind(evidence, id, room.channel_id);
    const announced = (isLeft ? [true, false] : [false]).map(isArchived =>
      partsBlocks(announcementParts(known, { ...way, isArchived })),
    );
    return [
      ...(isLeft ? [] : check('card', room.channel_id, room.card_ts, [partsBlocks(cardParts(known))], true)),
      ...(isLeftBehind(evidence, id, room.announcement_channel_id)
        ? []
        : check('announcement', room.announcement_channel_id, room.announcement_ts, announced, isOpen)),
    ];
  });
}

/** The update of a card is the last one that stands on the timeline. */
function updatesTrue({ activity, incidents, updates }: Evidence): readonly Complaint[] {
  return incidents.flatMap(({ id, title }) => {
    const notes = activity.filter(row => row.incident_id === id && row.fields.source === 'update');
    const last = notes.reduce<(typeof notes)[number] | undefined>(
      (latest, each) => (latest && latest.event_at > each.event_at ? latest : each),
      undefined,
    );
    const known = updates.get(id)?.update?.activityItemID;
    return known === last?.id ? [] : [`the update of “${title}” is ${known}, and the timeline has ${last?.id} last`];
  });
}

/** Mentions of the people whom the API knows by their Slack account; the declarer is named. */
function namedPeople({ world }: Evidence, { createdByUser, incidentMembership }: Incident): CardInput['people'] {
  const users = [createdByUser, ...incidentMembership.assignments.map(each => each.user)];
  const isSlack = (id: string) => world.slack.people.some(each => each.id === id);
  const ids = users.map(each => [each.userID, each.userID.replace(/^slack:/, '')] as const);
  return new Map(ids.filter(([, id]) => isSlack(id)).map(([userID, id]) => [userID, mention(id)]));
}

/** Those who have a part in an incident and cannot act, as the card names them. */
function absentees({ world }: Evidence, { incidentMembership }: Incident): CardInput['absent'] {
  return new Map(
    incidentMembership.assignments.flatMap(({ user: { userID } }) => {
      const person = world.slack.people.find(each => userID.endsWith(each.id));
      if (!person?.record.deleted && !person?.record.isRestricted) return [];
      return [[userID, person.record.deleted ? ('left' as const) : ('guest' as const)]];
    }),
  );
}

/** The words of a card with the names that are known by now: while Slack is away, people are called by their ids. */
function withNames({ world }: Evidence, blocks: readonly object[]): string {
  const named = (all: string, { id, name }: { id: string; name: string }) =>
    all.replaceAll(`<@${id}>`, `@${name}`).replaceAll(id, name);
  const text = world.slack.people.reduce(named, JSON.stringify(blocks));
  // Slack may not have told of each who came or went.
  return text.replace(/only the \d+ (?:person|people) (in this channel) sees? it/, 'only people $1 see it');
}

/** A block without the id that Slack gives it. */
function plain(block: object): object {
  const { block_id: _, ...rest } = block as Readonly<Record<string, unknown>>;
  return JSON.parse(JSON.stringify(rest), (_name, value) => sorted(value));
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
