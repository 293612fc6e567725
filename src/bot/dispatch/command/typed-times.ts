import { toMrkdwn } from '../../text/blocks.ts';
import { doubtOf } from '../../text/time-doubts.ts';
import { formatDuration, formatUtc, parseTime, toSlackDate } from '../../text/times.ts';
import type { Context } from '../feature/context.ts';
import { askWhich } from './ask-which.ts';

/** A time as it was typed, the moment that it means, and why it may mean another (mrkdwn; `""`: it cannot). */
export interface TypedTime {
  /** The flag that it was typed for; `""` for a time without one. */
  readonly name: string;
  readonly typed: string;
  readonly at: Date;
  readonly doubt: string;
}

/**
 * Reads a typed time in the zone of the person. Once they were asked what it means, it is that moment, however much later they
 * answered. A time counts from `now`. `problem` is a sentence of mrkdwn.
 */
export function readTypedTime(
  ctx: Context,
  name: string,
  typed: string,
  now: Date = ctx.now,
): TypedTime | { readonly problem: string } {
  const answered = answerOf(ctx)?.read[name];
  if (answered !== undefined) return { name, typed, at: new Date(answered), doubt: '' };
  const reading = { now, timeZone: ctx.actor.timeZone };
  const read = parseTime(typed, reading);
  if ('problem' in read) return { problem: toMrkdwn(read.problem) };
  return { name, typed, at: read.at, doubt: doubtOf(typed, read.at, reading) };
}

/** Whether the person wants to change what a time was read as: then the form opens. */
export function wantsToChange(ctx: Context): boolean {
  return answerOf(ctx)?.isRight === false;
}

/** Whether the person was asked, and answered. */
export function wasAsked(ctx: Context): boolean {
  return answerOf(ctx) !== undefined;
}

/**
 * Shows what was read before anything is stored, where a time may mean another moment. The press of `does` carries the command out with
 * these moments, *Change* opens its form with them. False when nothing is in doubt, or the act is no command.
 */
export async function askTimes(
  ctx: Context,
  {
    times,
    does,
    incidentID,
  }: { readonly times: readonly TypedTime[]; readonly does: string; readonly incidentID: string },
): Promise<boolean> {
  const { draft } = ctx;
  const doubted = times.filter(each => each.doubt !== '');
  if (doubted.length === 0 || draft?.kind !== 'command') return false;
  const read = Object.fromEntries(times.map(({ name, at }) => [name, at.toISOString()]));
  const lines = doubted.map(
    ({ typed, at, doubt }) =>
      `“${toMrkdwn(typed, 80)}” is ${toSlackDate(at)} your time = ${formatUtc(at)}, ${age(ctx.now, at)}. ${doubt}`,
  );
  await askWhich(ctx, [...lines, 'Nothing is stored yet.'].join('\n'), [
    { label: does, draft: { ...draft, times: { read, isRight: true } }, incidentID },
    { label: 'Change', draft: { ...draft, times: { read, isRight: false } }, incidentID },
  ]);
  return true;
}

function age(now: Date, at: Date): string {
  return `${formatDuration((now.getTime() - at.getTime()) / 1000)} ago`;
}

function answerOf({ draft }: Context) {
  return draft?.kind === 'command' ? draft.times : undefined;
}
