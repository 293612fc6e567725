import { deadlines } from '../../../../src/deadlines.ts';
import type { World } from '../world.ts';
import { alertsOnce, burningShown } from './alerts.ts';
import { everybodyAnswered } from './answers.ts';
import { archivesTrue } from './archives.ts';
import { callsAnswered } from './calls.ts';
import { chainsEndByPeople } from './chains.ts';
import { type Complaint, type Evidence, gather } from './evidence.ts';
import { everyChangeTold } from './lines.ts';
import { linesBelow, marksTrue } from './marks.ts';
import { newsTrue } from './news.ts';
import { everythingOnce } from './once.ts';
import { orderKept } from './order.ts';
import { originalsKept } from './originals.ts';
import { pagesOnce } from './pages.ts';
import { peaceKept } from './quiet.ts';
import { dueReached, nobodyInVain } from './reached.ts';
import { owedInTime } from './reminders.ts';
import { roomsTrue } from './rooms.ts';
import { nobodySaw } from './sight.ts';
import { timelineTrue } from './timeline.ts';
import { nothingTwice } from './twice.ts';
import { undosTrue } from './undos.ts';
import { nothingWaits } from './waiting.ts';

/** What must hold at the end of every world, by name. */
export const invariants = {
  'every accepted action took effect exactly once': everythingOnce,
  'order per incident is that in which people acted': orderKept,
  'one lane, one runner': ({ runners }) =>
    runners.map(({ lane, one, other }) => `in the lane ${lane} ran ${one} beside ${other}`),
  'no lane waits behind what the API refused': ({ held }) =>
    held.map(({ lane, kind, code }) => `in the lane ${lane} waits ${kind}, which the API refused: ${code}`),
  'the timeline equals what people last said, reacted and removed': timelineTrue,
  'original times and authors are kept': originalsKept,
  'every person got an answer': everybodyAnswered,
  'nothing waits for ever': nothingWaits,
  'everything is done and told promptly': ({ world }) => world.promptness.complaints,
  'the room equals the API': roomsTrue,
  'the room was told of every change exactly once, in order, and of nothing else': everyChangeTold,
  'the channel of announcements reads one card, and of each rise, update, end and reopening once': newsTrue,
  'an undo restores the state before its act, and undoes nothing else': undosTrue,
  'what was taken back is marked taken back wherever it was said': marksTrue,
  'a line never appears above a message that is newer than its act': linesBelow,
  'a channel is archived once, when somebody wants it, and reopening calls it off': archivesTrue,
  'nothing stands in Slack twice': nothingTwice,
  'one group of alerts is one offer or incident, whatever arrives how often; its end is told once': alertsOnce,
  'what burns is said where alerts are read within two notices, whatever became of its incident': burningShown,
  'who is called is asked once, and the room reads what became of each': callsAnswered,
  'what is owed is reminded of at its time, once per step, to who owes it, and never after it was done': owedInTime,
  'nobody is reminded in quiet hours, and the budget of the room holds': peaceKept,
  'a page wakes once, under a key of its own': pagesOnce,
  'a reminder that is due reaches somebody, or the room, within its step, quiet hours counted': dueReached,
  'after a channel opens, everything in it is true within five minutes': ({ world }) => world.witness.stale,
  'nobody is asked or reminded who cannot be reached': nobodyInVain,
  'a chain of calls ends by a person alone': chainsEndByPeople,
  'nobody outside a private room reads of it by a reminder, a call or an announcement': ({ world }) =>
    world.witness.readers.unasked,
  'nothing broke inside': nothingBroke,
  'nobody reads of a failure that was none': ({ world }) =>
    world.witness.failuresRead.map(({ text }) => `a person read: ${text.slice(0, 300)}`),
  'nobody saw what they may not': nobodySaw,
} as const satisfies Record<string, (evidence: Evidence) => readonly Complaint[]>;

/** Name of an invariant. */
export type Invariant = keyof typeof invariants;

/** An invariant that a world broke, and how. */
export interface Violation {
  readonly invariant: Invariant;
  readonly complaint: Complaint;
}

/** Every violation in a world at its end. */
export async function findViolations(world: World): Promise<readonly Violation[]> {
  const evidence = await gather(world);
  return Object.entries(invariants).flatMap(([name, look]) =>
    look(evidence).map(complaint => ({ invariant: name as Invariant, complaint })),
  );
}

/** Muster found no fault of its own, as long as its database was there; that Slack was not, or refused the token, is Slack's fault. */
function nothingBroke({ world }: Evidence): readonly Complaint[] {
  if (world.plan.database.length > 0) return [];
  return world.witness.errors
    .filter(({ line }) => !/"type":"((WebAPI|Respond)\w*Error|Unanswered)"/.test(line))
    .filter(({ line }) => world.plan.revocations.length === 0 || !/"slack: refuses the bot token/.test(line))
    .filter(
      error => !(/"receiver: a request was not acknowledged in time"/.test(error.line) && stoodStill(world, error)),
    )
    .map(({ line }) => line.trim());
}

/** Whether a process, or the database, stood still for longer than it may take to acknowledge what it has stored. */
function stoodStill({ witness }: World, { at, replica }: World['witness']['errors'][number]): boolean {
  const began = at - deadlines.acknowledge;
  return witness.standstills.some(
    each =>
      (each.replica ?? replica) === replica &&
      Math.min(at, each.until) - Math.max(began, each.from) > deadlines.acknowledge - deadlines.storeEvent,
  );
}
