import { z } from 'zod';
import { RpcError } from '../../../contract/errors.ts';
import { defineIntent, type IntentContext, toUndo, type Undo } from '../../incident/acts/intent-kind.ts';
import { changedSince } from '../../incident/acts/only-from.ts';
import { callLine } from '../../incident/lines/call-line.ts';
import { roomLane } from '../../incident/room/plan.ts';
import { RoomSteps } from '../../incident/room/steps.ts';
import { incidentLabel, incidentName } from '../../incident/state/incident-name.ts';
import { NotVisible } from '../../people/visibility.ts';
import { editDirectly } from '../../slack/answer.ts';
import { mention, sentence } from '../../text/blocks.ts';
import { signs } from '../../text/signs.ts';
import { andMore } from '../../text/words.ts';
import { askPeople } from './ask.ts';
import { orLater, readRoster } from './roster.ts';
import { Target } from './targets.ts';

/** Somebody who was called, as the call began. */
const Person = z.object({
  id: z.string(),
  target: z.string(),
  answer: z.enum(['none', 'coming', 'cannot', 'there']),
  minutes: z.number(),
});

/** Calls people whom somebody names, themselves or by their groups. The call has the id of its intent. */
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
    people: z.array(Person),
    /** Sentences of mrkdwn on those whom it did not reach, and on what Slack refused. */
    left: z.array(z.string()),
    troubles: z.array(z.string()),
  }),
  run: async (context, { incidentID, targets, why, caller }) => {
    const { deps, id } = context;
    const room = await deps.rooms.ofIncident(incidentID);
    await mustStillSee(context, incidentID, caller);
    // Whom the first attempt found is called, whoever is in the groups now.
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
    const people = call.people.map(({ user_id: user, target, answer, minutes }) => ({
      id: user,
      target,
      answer,
      minutes,
    }));
    return { call: id, people, left: [...left], troubles: [...troubles, ...refused] };
  },
  mapTexts: (wish, change) => ({ ...wish, why: change(wish.why) }),
  describe: ({ incidentID, targets }) => `call ${targetNames(targets)} to ${incidentName(incidentID)}`,
  ofCall: ({ call }) => call,
  room: {
    // The rows of the call say who has answered already.
    line: ({ people }, { caller, why }) => {
      const called = people.map(({ id, ...rest }) => ({ user_id: id, step: 0, ...rest }));
      const words = callLine({ people: called, targets: [], step: 0, chain: '', state: 'open', caller, why });
      return { words, isAlone: true };
    },
    isMadeNow: ({ call }) => call !== '',
  },
  undo: ({ call }, { incidentID }): Undo | undefined =>
    call === ''
      ? undefined
      : toUndo(takeCallBack, { incidentID, call }, { afterwards: 'Tell them that they need not come.' }),
  answer: {
    receipt: ({ people }, { incidentID }, repeated) => {
      const asked = people.filter(each => each.answer === 'none').map(each => mention(each.id));
      const others = people.filter(each => each.answer === 'there').map(each => mention(each.id));
      const name = incidentLabel(incidentID);
      if (people.length === 0) return sentence(`Nobody was called to ${name}.`);
      if (repeated) return sentence(`These people are called to ${name} already.`);
      return sentence(
        [
          asked.length > 0 ? `${signs.call} I called ${andMore(asked, 10)} to ${name}.` : '',
          others.length > 0 ? `${andMore(others, 10)} ${others.length > 1 ? 'are' : 'is'} there already.` : '',
        ]
          .filter(each => each !== '')
          .join(' '),
      );
    },
    beside: ({ call }) => (call === '' ? undefined : `${signs.call} Done.`),
    afterDone: async ({ repeated }, { left, troubles }) => (repeated ? nothing : { notes: left, troubles }),
  },
});

const nothing = { notes: [], troubles: [] };

/** Takes a call back while nobody has answered: those who were asked read that they need not come. */
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
    const steps = new RoomSteps(context);
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
  describe: ({ incidentID }) => `take the call to ${incidentName(incidentID)} back`,
  room: { line: (_result, _payload, { by }) => `${signs.undone} ${by} took a call back` },
  answer: {
    receipt: (_result, { incidentID }) =>
      sentence(`${signs.undone} The call to ${incidentLabel(incidentID)} is taken back.`),
  },
});

/** Every kind of a person's call. */
export const callIntents = [makeCall, takeCallBack];

function targetNames(targets: readonly Target[]): string {
  const groups = targets.flatMap(each => (each.kind === 'group' ? [`@${each.name}`] : []));
  const count = targets.length - groups.length;
  const people = count === 0 ? [] : [count === 1 ? 'one person' : `${count} people`];
  return [...groups, ...people].join(' and ');
}

/** The caller may have lost sight of the incident since they asked. Throws an RpcError then. */
async function mustStillSee({ deps }: IntentContext, incidentID: string, caller: string): Promise<void> {
  const person = await orLater('see who calls', () => deps.people.find(caller));
  const known = typeof person === 'string' ? undefined : person;
  const viewer = { teamId: known?.teamId ?? '', userId: caller, isGuest: known?.isGuest ?? true, channelId: '' };
  if (await deps.visibility.sees('invitation', viewer, { incidentID }).catch(asHidden)) return;
  const why = 'the caller does not see the incident any more';
  throw new RpcError('failed_precondition', why, { maybeApplied: false });
}

/** There is no such incident any more. */
function asHidden(error: unknown): false {
  if (error instanceof NotVisible) return false;
  throw error;
}
