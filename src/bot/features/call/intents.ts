import { z } from 'zod';
import { RpcError } from '../../../contract/errors.ts';
import type { Deps } from '../../dispatch/feature/deps.ts';
import {
  defineIntent,
  type IncidentDeps,
  type IntentContext,
  toUndo,
  type Undo,
} from '../../incident/acts/intent-kind.ts';
import { changedSince } from '../../incident/acts/only-from.ts';
import { submitAlone } from '../../incident/acts/submit-alone.ts';
import { callLine, chainReason } from '../../incident/lines/call-line.ts';
import { roomLane } from '../../incident/room/plan.ts';
import { RoomSteps } from '../../incident/room/steps.ts';
import { CallTarget, isAnswered, type StoredCall, targetName } from '../../incident/state/call-store.ts';
import { incidentLabel } from '../../incident/state/incident-name.ts';
import type { Room } from '../../incident/state/room-store.ts';
import { Stopped } from '../../journal/intent.ts';
import { submitPage } from '../../pager/send.ts';
import { NotVisible } from '../../people/visibility.ts';
import { editDirectly } from '../../slack/answer.ts';
import { isPassing, refusalLevel, slackReason } from '../../slack/clients.ts';
import { mention, sentence, toMrkdwn } from '../../text/blocks.ts';
import { signs } from '../../text/signs.ts';
import { andMore } from '../../text/words.ts';
import { askPeople } from './answer.ts';
import { askSlack, isOwnRoom, type Roster, readRoster, Target } from './targets.ts';

/** A person who was called, as the call began. */
const Called = z.object({
  id: z.string(),
  target: z.string(),
  answer: z.enum(['none', 'coming', 'cannot', 'there']),
  minutes: z.number(),
});

/** Calls people who are named, themselves or by their groups. The call has the id of its intent. */
export const makeCall = defineIntent({
  kind: 'call.make',
  lane: wish => roomLane(wish),
  payload: z.object({
    incidentID: z.string(),
    targets: z.array(Target),
    why: z.string(),
    /** Slack id of the caller. */
    caller: z.string(),
  }),
  result: z.object({
    /** Its id; `""` when there was nobody to call. */
    call: z.string(),
    people: z.array(Called),
    /** Sentences of mrkdwn on those whom it did not reach, and on what Slack refused. */
    left: z.array(z.string()),
    troubles: z.array(z.string()),
  }),
  run: async (context, { incidentID, targets, why, caller }) => {
    const { deps, id } = context;
    const room = await deps.rooms.ofIncident(incidentID);
    await mustStillSee(context, incidentID, caller);
    // The people whom the first attempt found are called, also when the groups have changed.
    let call = await deps.calls.read(id);
    let left: readonly string[] = [];
    let troubles: readonly string[] = [];
    if (call === undefined) {
      const lately = deps.settings.callAfter * 60_000;
      const roster = await readRoster(context, targets, { incidentID, room, caller, isChain: false, lately });
      ({ left, troubles } = roster);
      if (roster.people.length > 0) {
        const step = { id, incidentID, step: 0, people: roster.people, intent: id };
        call = await deps.calls.begin({ ...step, by: { caller, why } });
      }
    }
    if (call === undefined) return { call: '', people: [], left: [...left], troubles: [...troubles] };
    const refused = await askPeople(context, call, room);
    const people = call.people.map(({ user_id, target, answer, minutes }) => ({
      id: user_id,
      target,
      answer,
      minutes,
    }));
    return { call: id, people, left: [...left], troubles: [...troubles, ...refused] };
  },
  did: ({ targets, caller, why }, { result, incident }) => {
    if (!result) return { verb: 'call', what: `${toMrkdwn(targetNames(targets), 200)} to ${incident}` };
    const { people } = result;
    if (people.length === 0) return { fact: `Nobody was called to ${incident}.` };
    const those = (answer: string) => people.filter(each => each.answer === answer).map(each => mention(each.id));
    const [asked, there] = [those('none'), those('there')];
    const called = people.map(({ id, ...rest }) => ({ user_id: id, step: 0, ...rest }));
    // The rows of the call say who has answered already.
    const words = callLine({ people: called, targets: [], step: 0, chain: '', state: 'open', caller, why });
    return {
      ...{ sign: signs.call, verb: 'call' },
      what: `${asked.length > 0 ? andMore(asked, 10) : 'nobody else'} to ${incident}`,
      more: there.length > 0 ? `${andMore(there, 10)} ${there.length > 1 ? 'are' : 'is'} there already.` : '',
      room: { words, isOwnMessage: true },
    };
  },
  mapTexts: (wish, change) => ({ ...wish, why: change(wish.why) }),
  links: (_wish, made) => ({ call: made?.call ?? '' }),
  undo: ({ call }, { incidentID }): Undo | undefined =>
    call === ''
      ? undefined
      : toUndo(takeCallBack, { incidentID, call }, { afterwards: 'Tell them that they need not come.' }),
  afterDone: async ({ repeated }, { left, troubles }) => (repeated ? nothing : { notes: left, troubles }),
});

const nothing = { notes: [], troubles: [] };

/** Takes a call back before the first answer: those who were asked read that they need not come. */
const takeCallBack = defineIntent({
  kind: 'call.undo',
  lane: wish => roomLane(wish),
  payload: z.object({ incidentID: z.string(), call: z.string() }),
  result: z.object({}),
  run: async (context, { incidentID, call: id }) => {
    const { deps } = context;
    if (!(await deps.calls.withdraw(id)))
      throw new RpcError('failed_precondition', 'somebody has answered the call already', {
        reason: changedSince,
        maybeApplied: false,
      });
    const steps = new RoomSteps(context.log);
    for (const { channel, ts } of (await deps.calls.read(id))?.people ?? []) {
      if (ts === '') continue;
      const words = sentence(
        `${signs.undone} The call to ${incidentLabel(incidentID)} was taken back: you need not come.`,
      );
      await steps.run('tell them that the call is taken back', () => editDirectly(deps.slack, { channel, ts }, words));
    }
    steps.throwDelayed();
    return {};
  },
  did: (_wish, { incident }) => ({ sign: signs.undone, verb: 'take', what: `the call to ${incident} back` }),
});

/** Tells those who were asked that the incident is over, in place of the question. A process may die meanwhile: an edit is the same twice. */
const tellOver = defineIntent({
  kind: 'call.over',
  payload: z.object({ incidentID: z.string(), call: z.string() }),
  result: z.object({}),
  run: async ({ deps, log }, { call: id }) => {
    const [call] = await deps.calls.over(id);
    // It may be open again.
    if (call === undefined) return {};
    const name = incidentLabel(call.incident_id);
    const steps = new RoomSteps(log);
    for (const { user_id: user, channel, ts, answer } of call.people.filter(
      each => each.ts !== '' && each.is_over === 0,
    ))
      await steps.run('tell who was called that it is over', async () => {
        const came = `${signs.coming} You came to ${name}. It is over.`;
        const words = answer === 'there' ? came : `${signs.done} The incident is over: nobody is needed for ${name}.`;
        await editDirectly(deps.slack, { channel, ts }, sentence(words)).catch(error => {
          if (isPassing(error)) throw error;
          // Nothing more can be done for a person whom Slack does not reach.
          log[refusalLevel(error)]({ reason: slackReason(error) }, 'calls: a question could not be edited');
        });
        await deps.calls.asked(id, user, { is_over: 1 });
      });
    steps.throwDelayed();
    return {};
  },
  did: (_wish, { incident }) => ({ verb: 'tell', what: `those who were called that ${incident} is over`, room: [] }),
});

/** Every kind of a person's call, and of its end. */
export const callIntents = [makeCall, takeCallBack, tellOver];

function targetNames(targets: readonly Target[]): string {
  const groups = targets.flatMap(each => (each.kind === 'group' ? [`@${each.name}`] : []));
  const count = targets.length - groups.length;
  const people = count === 0 ? [] : [count === 1 ? 'one person' : `${count} people`];
  return [...groups, ...people].join(' and ');
}

/** The caller may have lost sight of the incident since they asked. Throws an RpcError then. */
async function mustStillSee({ deps }: IntentContext, incidentID: string, caller: string): Promise<void> {
  const person = await askSlack('see who calls', () => deps.people.find(caller));
  const known = typeof person === 'string' ? undefined : person;
  const viewer = { teamId: known?.teamId ?? '', userId: caller, isGuest: known?.isGuest ?? true, channelId: '' };
  const isSeen = await deps.visibility.sees('invitation', viewer, { incidentID }).catch(error => {
    // There is no such incident any more.
    if (!(error instanceof NotVisible)) throw error;
  });
  if (isSeen) return;
  const why = 'the caller does not see the incident any more';
  throw new RpcError('failed_precondition', why, { maybeApplied: false });
}

const ChainStep = z.object({
  /** The next target was called; the chain ended, since nobody comes; or nobody needs to be called any more. */
  did: z.enum(['called', 'ended', 'nothing']),
  call: z.string(),
  /** The line of the call, where this is its first target; `""` otherwise. */
  line: z.string(),
  /** All targets, when nobody comes. */
  targets: z.array(CallTarget),
  /** Sentences of mrkdwn on those whom it did not reach. */
  troubles: z.array(z.string()),
});

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
  result: ChainStep,
  run: async (context, { call: id, step }) => {
    const { deps } = context;
    const none = { call: id, line: '', targets: [], troubles: [] };
    const call = await deps.calls.read(id);
    if (call === undefined) return { ...none, did: 'nothing' as const };
    const room = await deps.rooms.ofIncident(call.incident_id);
    // A retry calls the people whom the first attempt found, also when the group has changed since.
    const isBegun = call.step >= step;
    const begun = isBegun ? { call, troubles: [] } : await beginStep(context, call, step, room);
    if ('did' in begun) return { ...none, ...begun };
    await pageTarget(context, begun.call, step);
    const refused = await askPeople(context, begun.call, room);
    const line = begun.call.line === context.id ? callLine(begun.call) : '';
    return { ...none, did: 'called' as const, line, troubles: [...begun.troubles, ...refused] };
  },
  did: (_wish, { result, incident }) => ({
    ...{ verb: 'call', what: `the people on duty to ${incident}` },
    room: [
      result?.line ?? '',
      ...(result?.did === 'ended' ? [endWords(result.targets)] : []),
      ...(result?.troubles ?? []).map(each => `${signs.warning} ${each}`),
    ]
      .filter(words => words !== '')
      .map(words => ({ words, isOwnMessage: true })),
  }),
  links: (_wish, made) => ({ call: made?.call ?? '' }),
});

type Begun =
  | { readonly call: StoredCall; readonly troubles: readonly string[] }
  | { readonly did: 'ended' | 'nothing'; readonly targets: CallTarget[] };

/** Stores the people that the target reaches, or that the chain calls nobody more. */
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
    return state === 'ended' ? { did: 'ended', targets: [...targets] } : { did: 'nothing', targets: [] };
  };
  if (call.state !== 'open') return { did: 'nothing', targets: [] };
  if (!(await isWanted(deps, incidentID))) return await close('over');
  if (isAnswered(call.people) || (await isTaken(deps, call, room))) return await close('answered');
  const target = targets[step];
  if (target === undefined) return await close('ended');
  const { callAfter } = deps.settings;
  const { people, troubles } = await readTarget(context, target, { incidentID, room, lately: callAfter * 60_000 });
  const others = people.filter(each => call.people.every(known => known.user_id !== each.user_id));
  const isEmpty = target.kind === 'group' && others.every(each => each.answer === 'cannot');
  // Nobody can answer, so the next one need not wait.
  const nextAfter = isEmpty ? 0 : callAfter;
  const stored = await deps.calls.begin({ id, incidentID, step, people, intent: context.id, nextAfter });
  return stored ? { call: stored, troubles } : { did: 'nothing', targets: [] };
}

/** Pages a target that is a pager, once: its line in the room says whether the page is out, and the chain goes on meanwhile. */
async function pageTarget({ deps }: IntentContext, { id, incident_id, targets, chain }: StoredCall, step: number) {
  const target = targets[step];
  if (target?.kind !== 'pager') return;
  const whom = targets.slice(0, step).map(targetName);
  const why = whom.length === 0 ? chainReason(chain) : `nobody answered the call to ${whom.join(', ')}`;
  await submitPage(deps, `call/${id}/${step}/page`, { incidentID: incident_id, pager: target.name, why });
}

/** The people that a target reaches. The room reads why it reaches nobody, and the chain goes on. */
async function readTarget(
  context: IntentContext,
  called: CallTarget,
  { incidentID, room, lately }: { incidentID: string; room: Room | undefined; lately: number },
): Promise<Roster> {
  if (called.kind === 'pager') return { people: [], left: [], troubles: [] };
  const { handle } = called;
  const target = { kind: 'group' as const, id: `@${handle}`, name: handle };
  const shown = `@${toMrkdwn(handle, 80)}`;
  try {
    const roster = await readRoster(context, [target], { incidentID, room, caller: '', isChain: true, lately });
    const isSilent = roster.people.length === 0 && roster.troubles.length === 0;
    return isSilent ? { ...roster, troubles: [`Nobody in ${shown} can be called.`] } : roster;
  } catch (error) {
    if (!(error instanceof RpcError && error.code === 'failed_precondition')) throw error;
    const why = `I did not call ${shown}: ${toMrkdwn(error.message, 300)}.`;
    return { people: [], left: [], troubles: [why] };
  }
}

/** Whether a chain may call people: never to a drill, a private incident, or one that is over or gone. */
async function isWanted({ calls, visibility }: IncidentDeps, incidentID: string): Promise<boolean> {
  try {
    return (await calls.isWanted(incidentID)) && !(await visibility.isPrivate({ incidentID }));
  } catch (error) {
    if (error instanceof NotVisible) return false;
    throw error;
  }
}

/** Whether a person took the call in another way: they acknowledged a page, speak in its channel, or change the incident. */
async function isTaken({ slack, calls, pagers }: IncidentDeps, call: StoredCall, room: Room | undefined) {
  if (await pagers.isAcknowledged(call.incident_id, call.begun_at)) return true;
  const waiting = call.people.filter(each => each.answer === 'none');
  if (waiting.length === 0) return false;
  const since = Math.min(...waiting.map(each => each.asked_at));
  const here = new Set([...(await speakers(slack, room, since)), ...(await calls.actors(call.incident_id, since))]);
  const there = waiting.filter(each => here.has(each.user_id));
  const ids = there.map(each => each.user_id);
  await calls.seen(call.id, ids);
  return there.length > 0;
}

/** The Slack ids of those who spoke in the incident's channel since a moment. In a channel of other things nobody counts. */
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

function endWords(targets: readonly CallTarget[]): string {
  const names = targets.map(each => toMrkdwn(targetName(each), 80)).join(', ');
  return `${signs.warning} *Nobody answered the call to ${names}.* \`/incident call\` calls others.`;
}

/**
 * Notes who was called and is there, calls the next targets of the chains that are due, and takes the questions back whose incident is over.
 * Never throws.
 */
export async function callDue({ calls, journal, slack, cards, settings, log }: Deps, now: Date): Promise<void> {
  try {
    for (const incidentID of await calls.arrivals()) cards.refresh(incidentID);
    const due = settings.call.length === 0 ? [] : await calls.due(now);
    await Promise.all([...due.map(callOne), ...(await calls.over()).map(tellOne)]);
  } catch (err) {
    if (!(err instanceof Stopped))
      log.warn({ err }, 'calls: could not look for people who came, and for chains that are due');
  }

  async function callOne({ id, incident_id: incidentID, step: last, next_at: due }: StoredCall): Promise<void> {
    const step = last + 1;
    // A target may be due again: a person came, and cannot after all.
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

  async function tellOne({ id: call, incident_id: incidentID }: StoredCall): Promise<void> {
    const lane = `call/${call}/over`;
    // An incident may be over several times.
    for (let times = 0; ; times += 1) {
      const key = `${lane}/${times}`;
      const known = await journal.findByKey(key);
      if (known?.outcome !== undefined) continue;
      if (known !== undefined) return;
      const payload = { incidentID, call };
      await submitAlone({ journal, slack }, tellOver, { key, renews: false, payload, subject: incidentID, lane });
      return;
    }
  }
}
