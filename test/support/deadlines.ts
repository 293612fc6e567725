import { type SlackDeadlines, slackDeadlines } from '../../playground/fake-slack/interface.ts';
import { type Deadlines, deadlines } from '../../src/deadlines.ts';
import { patientMuster } from './muster-process.ts';

/** How many times longer a test waits than production: a machine that is busy must not change what a test sees. */
const patience = 30;

type Some<T> = { readonly [Name in keyof T]?: T[Name] extends number ? number : Some<T[Name]> };

/** Muster's deadlines for a test. `own`: those that the test is about, in milliseconds. */
export function patient(own: Some<Deadlines> = {}): Deadlines {
  return [stretch(deadlines), withoutPauses, own].reduce(merge) as Deadlines;
}

/** The client calls again at once, and nothing lands late: an API that fails, or comes back, costs a test no time. */
const withoutPauses: Some<Deadlines> = {
  landing: 0,
  api: { longestPause: 0, breaker: { coolDown: 1 } },
  ...{ apiProbe: { longestPause: 0 }, apiDoctor: { longestPause: 0 }, apiTools: { longestPause: 0 } },
};

/** Those of a process that dies in the middle: its stop does not wait for what is under way. */
export const stopsAtOnce = patient({ stop: { people: 0, intents: 0, cutOff: 100, rest: 100 } });

/** Those of a Muster in a process of its own: it pauses between calls to an API that fails, as it does for people. */
export const withPauses = patient({
  api: { longestPause: deadlines.api.longestPause, breaker: deadlines.api.breaker },
});

/** The fake Slack's deadlines for a test. */
export const patientSlack: SlackDeadlines = {
  acknowledge: patience * slackDeadlines.acknowledge,
  trigger: patience * slackDeadlines.trigger,
  until: 60_000,
};

/** How the system behind a playground starts in a test. */
export const patientSystem = { deadlines: patient(), slack: { deadlines: patientSlack }, program: patientMuster };

function stretch(table: object): object {
  return Object.fromEntries(
    Object.entries(table).map(([name, value]) => [name, typeof value === 'number' ? patience * value : stretch(value)]),
  );
}

function merge(table: object, own: object): object {
  const merged: Record<string, unknown> = { ...table };
  for (const [name, value] of Object.entries(own)) {
    const before = merged[name];
    merged[name] = typeof value === 'object' && typeof before === 'object' ? merge(before ?? {}, value) : value;
  }
  return merged;
}
