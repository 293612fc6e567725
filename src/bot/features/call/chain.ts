import { z } from 'zod';
import { RpcError } from '../../../contract/errors.ts';
import type { Deps } from '../../dispatch/feature/deps.ts';
import { defineIntent, type IncidentDeps, type IntentContext } from '../../incident/acts/intent-kind.ts';
import { submitAlone } from '../../incident/acts/submit-alone.ts';
import { callLine } from '../../incident/lines/call-line.ts';
import { roomLane } from '../../incident/room/plan.ts';
import type { CallTarget } from '../../incident/state/call-chains.ts';
import { isAnswered, type StoredCall } from '../../incident/state/call-store.ts';
import { incidentLabel, incidentName } from '../../incident/state/incident-name.ts';
import type { Room } from '../../incident/state/room-store.ts';
import { Stopped } from '../../journal/intent.ts';
import { NotVisible } from '../../people/visibility.ts';
import { sentence, toMrkdwn } from '../../text/blocks.ts';
import { signs } from '../../text/signs.ts';
import { askPeople } from './ask.ts';
import { isOwnRoom, type Roster, readRoster } from './roster.ts';

/** What a chain came to: its next target was called, nobody of it comes, or nobody is to be called any more. */
const did = z.enum(['called', 'ended', 'nothing']);

/** Calls the next target of a chain, while nobody comes. */
export const callNext = defineIntent({
  kind: 'call.next',
  lane: wish => roomLane(wish),
  payload: z.object({
    incidentID: z.string(),
    call: z.string(),
    /** The place of the target. */
    step: z.number().int(),
  }),
  result: z.object({
    did,
    call: z.string(),
    /** The line of the call, where this is its first target; `""` otherwise. */
    line: z.string(),
    /** The names of all targets, when nobody comes. */
    handles: z.array(z.string()),
    /** Sentences of mrkdwn on those whom it did not reach. */
    troubles: z.array(z.string()),
  }),
  run: async (context, { call: id, step }) => {
    const { deps } = context;
    const none = { call: id, line: '', handles: [], troubles: [] };
    const call = await deps.calls.read(id);
    if (call === undefined) return { ...none, did: 'nothing' as const };
    const room = await deps.rooms.ofIncident(call.incident_id);
    // Whom the first attempt found is called, whoever is in the group now.
    const isBegun = call.step >= step;
    const begun = isBegun ? { call, troubles: [] } : await beginStep(context, call, step, room);
    if ('did' in begun) return { ...none, ...begun };
    const refused = await askPeople(context, begun.call, room);
    const line = begun.call.line === context.id ? callLine(begun.call) : '';
    return { ...none, did: 'called' as const, line, troubles: [...begun.troubles, ...refused] };
  },
  describe: ({ incidentID }) => `call the people on duty to ${incidentName(incidentID)}`,
  ofCall: ({ call }) => call,
  room: {
    line: ({ did, line, handles, troubles }) => [
      ...(line === '' ? [] : [{ words: line, isAlone: true as const }]),
      ...(did === 'ended' ? [{ words: endWords(handles), isAlone: true as const }] : []),
      ...troubles.map(each => ({ words: `${signs.warning} ${each}`, isAlone: true as const })),
    ],
    isMadeNow: ({ did, troubles }) => did !== 'nothing' || troubles.length > 0,
  },
  answer: {
    receipt: (_result, { incidentID }) => sentence(`The people on duty are called to ${incidentLabel(incidentID)}.`),
  },
});

type Begun =
  | { readonly call: StoredCall; readonly troubles: readonly string[] }
  | { readonly did: 'ended' | 'nothing'; readonly handles: string[] };

/** Stores whom the target reaches, or that the chain calls nobody more. */
async function beginStep(
  context: IntentContext,
  call: StoredCall,
  step: number,
  room: Room | undefined,
): Promise<Begun> {
  const { deps } = context;
  const { id, incident_id: incidentID, targets } = call;
  const close = async (state: 'answered' | 'ended' | 'over'): Promise<Begun> => {
    await deps.calls.close(id, state);
    const handles = state === 'ended' ? targets.map(each => each.handle) : [];
    return { did: state === 'ended' ? 'ended' : 'nothing', handles };
  };
  if (call.state !== 'open') return { did: 'nothing', handles: [] };
  if (!(await isWanted(deps, incidentID))) return await close('over');
  if (isAnswered(call) || (await isThere(deps, call, room))) return await close('answered');
  const target = targets[step];
  if (target === undefined) return await close('ended');
  const { callAfter } = deps.settings;
  const { people, troubles } = await readTarget(context, target, { incidentID, room, lately: callAfter * 60_000 });
  const isEmpty = people.every(each => each.answer === 'cannot');
  // Nobody can answer, so the next one need not wait.
  const nextAfter = isEmpty ? 0 : callAfter;
  const stored = await deps.calls.begin({ id, incidentID, step, people, intent: context.id, nextAfter });
  return stored ? { call: stored, troubles } : { did: 'nothing', handles: [] };
}

/** Whom a target reaches. What keeps it from that is said in the room, and the chain goes on. */
async function readTarget(
  context: IntentContext,
  { handle }: CallTarget,
  { incidentID, room, lately }: { incidentID: string; room: Room | undefined; lately: number },
): Promise<Pick<Roster, 'people' | 'troubles'>> {
  const target = { kind: 'group' as const, id: `@${handle}`, name: handle };
  try {
    return await readRoster(context, [target], { incidentID, room, caller: '', isChain: true, lately });
  } catch (error) {
    if (!(error instanceof RpcError && error.code === 'failed_precondition')) throw error;
    return { people: [], troubles: [`I did not call @${toMrkdwn(handle, 80)}: ${toMrkdwn(error.message, 300)}.`] };
  }
}

/** Whether people are to be called without being asked for: never to a drill, a private incident, or one that is over or gone. */
async function isWanted({ calls, visibility }: IncidentDeps, incidentID: string): Promise<boolean> {
  try {
    return (await calls.isWanted(incidentID)) && !(await visibility.isPrivate({ incidentID }));
  } catch (error) {
    if (error instanceof NotVisible) return false;
    throw error;
  }
}

/** Whether somebody who was called works on the incident: they speak in its channel, or change it. Then they are there. */
async function isThere({ slack, calls }: IncidentDeps, call: StoredCall, room: Room | undefined): Promise<boolean> {
  const waiting = call.people.filter(each => each.answer === 'none');
  if (waiting.length === 0) return false;
  const since = Math.min(...waiting.map(each => each.asked_at));
  const here = new Set([...(await speakers(slack, room, since)), ...(await calls.actors(call.incident_id, since))]);
  const there = waiting.filter(each => here.has(each.user_id));
  for (const { user_id: user } of there) await calls.answer(call.id, user, { answer: 'there', minutes: 0 });
  return there.length > 0;
}

/** The Slack ids of those who spoke in the incident's channel since a moment. Of one that is not its alone nobody: there, people speak of other things. */
async function speakers(
  slack: IncidentDeps['slack'],
  room: Room | undefined,
  since: number,
): Promise<readonly (string | undefined)[]> {
  if (room === undefined || !isOwnRoom(room)) return [];
  const history = await slack.quick.conversations
    .history({ channel: room.channelId, oldest: String(since / 1000), limit: 100 })
    .catch(() => ({ messages: [] }));
  return (history.messages ?? []).filter(each => each.subtype === undefined && !each.bot_id).map(each => each.user);
}

function endWords(handles: readonly string[]): string {
  const names = handles.map(each => `@${toMrkdwn(each, 80)}`).join(', ');
  return `${signs.warning} *Nobody answered the call to ${names}.* \`/incident call\` calls others.`;
}

/** Calls the next targets of the chains that are due. Never throws. */
export async function callDue({ calls, journal, slack, cards, settings, log }: Deps, now: Date): Promise<void> {
  if (settings.callChains.length === 0) return;
  try {
    await Promise.all((await calls.due(now)).map(callOne));
  } catch (err) {
    if (!(err instanceof Stopped)) log.warn({ err }, 'calls: could not look for chains that are due');
  }

  async function callOne({ id, incident_id: incidentID, step: last, next_at: due }: StoredCall): Promise<void> {
    const step = last + 1;
    // A target may be due again: somebody came, and cannot after all.
    const key = `call/${id}/${step}/${due}`;
    // It waits for its turn, or for Slack.
    const known = await journal.findByKey(key);
    if (known && known.outcome === undefined) return;
    const payload = { incidentID, call: id, step };
    const subject = incidentID;
    const outcome = await submitAlone({ journal, slack }, callNext, {
      ...{ key, renews: false, payload, subject, lane: roomLane(payload) },
    });
    if (outcome.state === 'failed') {
      log.warn(
        { err: outcome.error, call: id, incident: incidentID },
        'calls: a chain ends, since its target was refused',
      );
      await calls.close(id, 'over');
    }
    cards.refresh(incidentID);
  }
}
