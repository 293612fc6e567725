import { toMrkdwn } from '../../text/blocks.ts';
import { formatDuration, parseTime, toSlackDate } from '../../text/times.ts';
import type { Context } from '../feature/context.ts';
import { askWhich, type Choice } from './ask-which.ts';

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
  const lines = doubted.map(({ typed, at, doubt }) => {
    const seconds = (ctx.now.getTime() - at.getTime()) / 1000;
    const age = seconds < 0 ? `in ${formatDuration(-seconds)}` : `${formatDuration(seconds)} ago`;
    return `“${toMrkdwn(typed, 80)}” is ${toSlackDate(at)} your time, ${age}. ${doubt}`;
  });
  const now = Object.fromEntries(times.map(({ name }) => [name, ctx.now.toISOString()]));
  const toChoice = (label: string, moments: typeof read, isRight: boolean): Choice => ({
    ...{ label, incidentID },
    draft: { ...draft, times: { read: moments, isRight } },
  });
  await askWhich(ctx, [...lines, 'Nothing is stored yet.'].join('\n'), [
    toChoice(does, read, true),
    ...(times.some(each => each.mayBeNone) ? [toChoice('Not a time', now, true)] : []),
    toChoice('Change', read, false),
  ]);
  return true;
}

/**
 * Asks before a command acts, under a sentence of mrkdwn; the press of `label` carries it out. False: the person has pressed, or the act is
 * no command.
 */
export async function askFirst(ctx: Context, mrkdwn: string, choice: Omit<Choice, 'draft'>): Promise<boolean> {
  const { draft } = ctx;
  if (wasAsked(ctx) || draft?.kind !== 'command') return false;
  await askWhich(ctx, mrkdwn, [{ ...choice, draft: { ...draft, times: { read: {}, isRight: true } } }]);
  return true;
}

function answerOf({ draft }: Context) {
  return draft?.kind === 'command' ? draft.times : undefined;
}
