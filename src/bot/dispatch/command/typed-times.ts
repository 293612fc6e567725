import { toMrkdwn } from '../../text/blocks.ts';
import { formatDuration, parseTime, toSlackDate } from '../../text/times.ts';
import type { Context } from '../feature/context.ts';
import { askWhich } from './ask-which.ts';

/** A time as it was typed, the moment that it means, and why it may mean another (mrkdwn; `""`: it cannot). */
export interface TypedTime {
  /** The flag that it was typed for; `""` for a time without one. */
  readonly name: string;
  readonly typed: string;
  readonly at: Date;
  readonly doubt: string;
  /** It begins a sentence, and may be none. */
  readonly mayBeNone?: boolean;
}

/**
 * Reads a typed time in the zone of the person. Once they were asked what it means, it is that moment, however much later they
 * answered. A time counts from `now`; `isNext` reads one to come. `problem` is a sentence of mrkdwn.
 */
export function readTypedTime(
  ctx: Context,
  name: string,
  typed: string,
  { now = ctx.now, isNext = false }: { readonly now?: Date; readonly isNext?: boolean } = {},
): TypedTime | { readonly problem: string } {
  const answered = answerOf(ctx)?.read[name];
  if (answered !== undefined) return { name, typed, at: new Date(answered), doubt: '' };
  const read = parseTime(typed, { now, timeZone: ctx.actor.timeZone, isNext });
  return 'problem' in read ? { problem: toMrkdwn(read.problem) } : { name, typed, ...read };
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
    ({ typed, at, doubt }) => `“${toMrkdwn(typed, 80)}” is ${toSlackDate(at)} your time, ${age(ctx.now, at)}. ${doubt}`,
  );
  await askWhich(ctx, [...lines, 'Nothing is stored yet.'].join('\n'), [
    { label: does, draft: { ...draft, times: { read, isRight: true } }, incidentID },
    ...(times.some(each => each.mayBeNone)
      ? [
          {
            label: 'Not a time',
            draft: { ...draft, times: { read: nowOf(times, ctx.now), isRight: true } },
            incidentID,
          },
        ]
      : []),
    { label: 'Change', draft: { ...draft, times: { read, isRight: false } }, incidentID },
  ]);
  return true;
}

function nowOf(times: readonly TypedTime[], now: Date) {
  return Object.fromEntries(times.map(({ name }) => [name, now.toISOString()]));
}

function age(now: Date, at: Date): string {
  const seconds = (now.getTime() - at.getTime()) / 1000;
  return seconds < 0 ? `in ${formatDuration(-seconds)}` : `${formatDuration(seconds)} ago`;
}

function answerOf({ draft }: Context) {
  return draft?.kind === 'command' ? draft.times : undefined;
}
