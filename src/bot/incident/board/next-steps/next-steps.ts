import type { ActionsBlockElement } from '@slack/types';
import { RpcError } from '../../../../contract/errors.ts';
import type { Incident } from '../../../../contract/incidents.ts';
import { slackRefusal } from '../../../slack/clients.ts';
import type { Reception } from '../../../slack/refusals.ts';
import { secondsAfter } from '../../../text/times.ts';
import { nextPart } from '../../lines/mark.ts';
import { lineSubject } from '../../lines/sender.ts';
import { digest } from '../../state/digests.ts';
import { reasonWords } from '../../state/refusal-words.ts';
import type { Room } from '../../state/room-store.ts';
import type { RoundDeps } from '../deps.ts';
import { editBoard, postBoard } from '../messages.ts';
import type { NextSteps } from './store.ts';
import { nextWords, notYetWords, type Over } from './words.ts';

const day = 24 * 3600;

/** Whether Muster may archive the room: a channel that it made, and no channel that was there before. */
export function mayArchive({ channelId, channelName, isLinked }: Room): boolean {
  return channelId !== '' && channelName !== '' && !isLinked;
}

/** Names a resolution. Only the time at which the API closed the incident tells two of them apart. */
export function resolutionOf({ closedTime }: Incident): string {
  return closedTime || 'resolved';
}

/**
 * Tells the room of an incident that is over the next steps, in one message that is edited in place, and archives its channel when that is due.
 * A day before, the message comes again, since Slack does not notify people of an edit. Once the incident is open again, the message has no
 * buttons any more. The caller holds the lease of the incident's card, so one process does this at a time.
 */
export async function showNextSteps(
  deps: RoundDeps,
  room: Room,
  incident: Incident,
  version: number,
): Promise<Reception> {
  const { incidentID, channelId: channel } = room;
  if (channel === '') return 'taken';
  if (incident.status !== 'resolved') return takeBack(deps, room, version);
  if ((await deps.visibility.share('line', incident, channel)) !== 'all') return 'taken';
  const now = deps.clock();
  const { archiveAfterDays } = deps.settings;
  const usual = mayArchive(room) && archiveAfterDays > 0 ? secondsAfter(now, archiveAfterDays * day) : undefined;
  const begun = await deps.nextSteps.begin(incidentID, resolutionOf(incident), usual);
  const { reception, steps } = await keepTime(deps, room, incident, begun);
  if (reception !== 'taken') return reception;
  const mayAlreadyExist = !begun.isNew && steps.ts === '';
  const shown = await show(deps, room, incident, { steps, mayAlreadyExist });
  // The next look is due a day before the channel is archived, and then.
  const { archiveAt, isWarned, dueAt } = steps;
  const warnAt = archiveAt && secondsAfter(archiveAt, -day);
  const next = warnAt && !isWarned && warnAt > deps.clock() ? warnAt : archiveAt;
  if (next?.getTime() !== dueAt?.getTime()) await deps.nextSteps.dueAt(incidentID, next);
  return shown;
}

/** Warns of the archiving or archives, when that is due. Returns what comes next afterwards. */
async function keepTime(
  deps: RoundDeps,
  room: Room,
  incident: Incident,
  steps: NextSteps,
): Promise<{ readonly reception: Reception; readonly steps: NextSteps }> {
  const { incidentID } = room;
  const { archiveAt } = steps;
  const again = async () => (await deps.nextSteps.of(incidentID)) ?? steps;
  if (!archiveAt || !mayArchive(room)) return { reception: 'taken', steps };
  const now = deps.clock();
  if (archiveAt <= now) {
    if (await isNeeded(deps, room)) {
      await deps.nextSteps.putOff(incidentID, secondsAfter(now, day));
      return { reception: 'taken', steps: await again() };
    }
    // People who still talk there keep it; the warning comes again below their talk.
    const quietAt = secondsAfter(steps.talkedAt, day);
    if (quietAt > now && !steps.isArchiving) {
      await deps.nextSteps.putOff(incidentID, quietAt);
      return warn(deps, room, incident, await again());
    }
    return { reception: await archive(deps, room, incident, { ...steps, archiveAt }), steps: await again() };
  }
  const isSoon = secondsAfter(archiveAt, -day) <= now;
  // The message of the last day said it.
  if (!isSoon || steps.isWarned || secondsAfter(steps.begunAt, day) > now) return { reception: 'taken', steps };
  return warn(deps, room, incident, steps);
}

/** Another message warns of the archiving; the one before has no buttons any more. */
async function warn(
  deps: RoundDeps,
  room: Room,
  incident: Incident,
  steps: NextSteps,
): Promise<{ readonly reception: Reception; readonly steps: NextSteps }> {
  const reception = await edit(deps, room, steps, incident, []);
  if (reception === 'later') return { reception, steps };
  await deps.nextSteps.warn(room.incidentID);
  return { reception: 'taken', steps: (await deps.nextSteps.of(room.incidentID)) ?? steps };
}

/** Whether another incident goes on in the same channel. Throws the RpcError when that cannot be read. */
async function isNeeded({ rooms, api, clock }: RoundDeps, room: Room): Promise<boolean> {
  for (const { incidentID } of await rooms.allOfChannel(room.teamId, room.channelId, clock())) {
    if (incidentID === room.incidentID) continue;
    try {
      const { incident } = await api.IncidentsService.GetIncident({ incidentID });
      if (incident.status !== 'resolved') return true;
    } catch (error) {
      if (!(error instanceof RpcError && error.code === 'not_found')) throw error;
    }
  }
  return false;
}

/** Archives the channel, and says so first: an archived channel takes no message. It makes one attempt. */
async function archive(
  deps: RoundDeps,
  room: Room,
  incident: Incident,
  steps: NextSteps & { readonly archiveAt: Date },
): Promise<Reception> {
  const { slack, nextSteps, refusals } = deps;
  const { incidentID, channelId: channel } = room;
  if (!(await nextSteps.claimArchive(incidentID, steps.archiveAt))) return 'taken';
  const told = await edit(deps, room, { ...steps, archivedAt: deps.clock(), archiveAt: undefined }, incident, []);
  if (told === 'later') return 'later';
  let refusal: unknown;
  const reception = await refusals.attempt({ method: 'conversations.archive', channel }, async () => {
    try {
      await slack.once.conversations.archive({ channel });
    } catch (error) {
      // A person was faster, or an earlier attempt whose answer was lost.
      if (slackRefusal(error) === 'already_archived') return;
      refusal = error;
      throw error;
    }
  });
  if (reception === 'later') return 'later';
  const why = refusal === undefined ? 'Slack refused it a moment ago.' : reasonWords(refusal);
  await nextSteps.archived(incidentID, reception === 'taken' ? '' : why);
  return 'taken';
}

/** Posts or edits the message, unless the room wants none. */
async function show(
  deps: RoundDeps,
  room: Room,
  incident: Incident,
  { steps, mayAlreadyExist }: { readonly steps: NextSteps; readonly mayAlreadyExist: boolean },
): Promise<Reception> {
  if (steps.archivedAt && steps.problem === '' && steps.archiveAt === undefined) return 'taken';
  const mode = room.receipts;
  // A room is always told that its channel will be archived.
  const isWanted = steps.archiveAt !== undefined || (mode !== 'quiet' && !steps.isSilent);
  if (steps.ts === 'gone' || (steps.ts === '' && !isWanted)) return 'taken';
  const over = await toOver(deps, room, incident, steps);
  const row = deps.nextRowOf(over);
  if (steps.ts !== '') return edit(deps, room, steps, incident, row);
  const { incidentID, channelId: channel, cardTs } = room;
  const words = nextWords(over, steps, row);
  let ts = '';
  const post = {
    ...{ channel, words, part: nextPart, mayAlreadyExist, since: steps.begunAt },
    ...(mode === 'thread' && cardTs !== '' ? { threadTs: cardTs } : {}),
    intent: `${incidentID}/${steps.resolution}${steps.isWarned ? '/warning' : ''}`,
  };
  const reception = await deps.refusals.attempt({ method: 'chat.postMessage', channel }, async () => {
    ts = await postBoard(deps.slack, post);
  });
  if (reception === 'taken') await deps.nextSteps.shown(incidentID, ts || 'gone', digest(words));
  return reception;
}

/** Edits the message where it shows something else. */
async function edit(
  deps: RoundDeps,
  room: Room,
  steps: NextSteps,
  incident: Incident,
  row: readonly ActionsBlockElement[],
): Promise<Reception> {
  return rewrite(deps, room, steps, nextWords(await toOver(deps, room, incident, steps), steps, row));
}

async function toOver(
  { rooms, settings: { severities } }: RoundDeps,
  room: Room,
  incident: Incident,
  { archiveAt }: NextSteps,
): Promise<Over> {
  const isUnrated = incident.severity.toLowerCase() === severities[0]?.toLowerCase();
  return { incident, isUnrated, archiveAt, mayArchive: mayArchive(room), subject: await lineSubject(rooms, room) };
}

async function rewrite(
  { slack, refusals, nextSteps }: RoundDeps,
  { incidentID, channelId: channel }: Room,
  { ts, shown }: NextSteps,
  words: ReturnType<typeof nextWords>,
): Promise<Reception> {
  const wanted = digest(words);
  if (ts === '' || ts === 'gone' || shown === wanted) return 'taken';
  let isGone = false;
  const reception = await refusals.attempt({ method: 'chat.update', channel }, async () => {
    try {
      await editBoard(slack, { channel, ts }, words);
    } catch (error) {
      isGone = slackRefusal(error) === 'message_not_found';
      if (!isGone) throw error;
    }
  });
  if (reception === 'taken') await nextSteps.shown(incidentID, isGone ? 'gone' : ts, wanted);
  return reception;
}

/**
 * The incident is open again: its message has no buttons any more, and its channel is not archived. The round may have read the incident before it
 * was resolved, and people have set the archiving since: the version tells.
 */
async function takeBack(deps: RoundDeps, room: Room, version: number): Promise<Reception> {
  const { incidentID } = room;
  const steps = await deps.nextSteps.of(incidentID);
  if (!steps) return 'taken';
  const reception = await rewrite(deps, room, steps, notYetWords(await lineSubject(deps.rooms, room)));
  if (reception === 'taken') await deps.nextSteps.end(incidentID, version);
  return reception;
}
