import { bears } from '../people/acts.ts';
import type { Complaint, Evidence } from './evidence.ts';

/** How long a chain may take to call its next target when that is due, in milliseconds. */
const prompt = 60_000;

type Chain = Evidence['calls'][number];

/**
 * A chain of calls goes on until a person comes, or has acknowledged a page and not let that run out, or nobody is left to call. That a pager
 * does something on its own, that somebody left, or that a room was closed, ends none.
 */
export function chainsEndByPeople(evidence: Evidence): readonly Complaint[] {
  return evidence.calls
    .filter(each => each.chain !== '')
    .flatMap(each =>
      why(evidence, each).map(words => `the chain ${each.chain} of incident ${each.incident_id} ${words}`),
    );
}

function why(evidence: Evidence, chain: Chain): readonly string[] {
  const { world, rooms } = evidence;
  const { state, next_at: next, step, targets } = chain;
  const hasRoom = rooms.some(each => each.incident_id === chain.incident_id && each.channel_id !== '');
  switch (state) {
    case 'open':
      return hasRoom && next > 0 && next < world.time.now() - prompt ? ['stands still'] : [];
    case 'answered':
      return isTaken(evidence, chain) ? [] : ['ended, and no person took it'];
    case 'over':
      return wasCalledOff(evidence, chain) ? [] : ['ended, and its incident was neither over, a drill nor private'];
    case 'ended':
      return step === targets.length - 1 ? [] : [`ended after ${step + 1} of ${targets.length} targets`];
    default:
      return [];
  }
}

/** Whether a person acknowledged a page of an incident, and did not let that run out. Of a private incident the pager knows nothing. */
export function isTakenByPage({ world, acts, incidents }: Evidence, incidentID: string): boolean {
  const title = incidents.find(each => String(each.id) === incidentID)?.title ?? '';
  const isOf = (mark: string) => mark === '' || acts.some(each => each.mark === mark && bears(title, each.incident));
  return world.pagers.pages.some(each => each.isAcknowledgedThere && each.isByPerson && isOf(each.mark));
}

/** Whether somebody who was called said that they come, or acted, or spoke since. */
function isTaken(evidence: Evidence, { incident_id, people, begun_at }: Chain): boolean {
  const { world, acts, intents } = evidence;
  const comes = people.filter(({ answer }) => answer === 'coming' || answer === 'there').map(each => each.user_id);
  const came = comes.some(
    userId =>
      acts.some(each => each.userId === userId && each.kind === 'answer' && !each.value.endsWith('Cannot')) ||
      intents.some(each => each.subject === incident_id && each.owner.endsWith(`/${userId}`)) ||
      world.slack.channels.some(({ messages }) =>
        messages.some(each => each.userId === userId && Number(each.ts) * 1000 > begun_at),
      ),
  );
  return came || isTakenByPage(evidence, incident_id);
}

/** Whether an incident was over, a drill or private at any time. */
function wasCalledOff({ world, activity, rooms, shown }: Evidence, { incident_id }: Chain): boolean {
  const { isDrill = false, status, incidentType } = shown.get(Number(incident_id)) ?? {};
  const room = rooms.find(each => each.incident_id === incident_id);
  const isPrivate = world.slack.channels.some(each => each.id === room?.channel_id && each.isPrivate);
  const changes = activity.filter(each => String(each.incident_id) === incident_id);
  return (
    isDrill ||
    isPrivate ||
    incidentType === 'private' ||
    status === 'resolved' ||
    changes.some(({ kind }) => /^incident(Status|IsDrill)Changed$/.test(kind))
  );
}
