import { readTypedTime } from '../../dispatch/command/typed-times.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import { withoutPolite } from '../../grammar/casual.ts';
import { type Args, flagText } from '../../grammar/grammar.ts';
import { timeLength } from '../../text/times.ts';
import { toOneLine } from '../../text/words.ts';

/** From when on a person wants to be caught up. `doubt` says why a typed time may mean another moment (mrkdwn; `""`: it cannot). */
export type Since =
  | { readonly from: 'last' | 'start' }
  | { readonly from: Date; readonly doubt: string }
  /** A sentence of mrkdwn on what is wrong with the time. */
  | { readonly problem: string }
  /** The words may be no time at all. */
  | { readonly unknown: string };

/** Words that say nothing more: “on this incident”, “for us”. */
const fillers =
  /^(?:(?:on|of|about|for|with|to|up|the|this|that|it|our|incident|room|channel|here|me|us|so far|then|again|thread|discussion|conversation)\b[ ,.!?:]*)*$/i;
/** Characters of what is read at most. */
const mostCharacters = 120;
/** When they last looked, in other words: “since I left”. */
const last = /^(?:i|we|last time|my last|the last time)\b/i;
const start = /^(?:(?:from|since) )?(?:the )?(?:very )?(?:start|beginning|everything|all|whole)[.!]?$/i;

/** Reads `since 02:00`, `from the start`, or nothing. */
export function readSince(ctx: Context, args: Args): Since {
  const whole = toOneLine(args.sentence);
  if (whole.length > mostCharacters) return { unknown: whole };
  const typed = withoutPolite(whole).replace(/(?<![?!.,\s])[?!.,\s]+$/, '');
  const flag = flagText(args, 'since');
  if (flag !== undefined && !start.test(flag)) return readTime(ctx, flag);
  if (start.test(typed) || flag !== undefined) return { from: 'start' };
  const [, before = '', behind = ''] = /^(.*?)(?:(?:^|\s)(?:since|from|after)\s+(.+))?$/i.exec(typed) ?? [];
  const words = before.split(' ');
  const isTime = behind === '' && timeLength(words) === words.length;
  if (isTime) return readTime(ctx, before);
  if (!fillers.test(before)) return { unknown: typed };
  if (start.test(behind)) return { from: 'start' };
  return behind === '' || last.test(behind) ? { from: 'last' } : readTime(ctx, behind);
}

function readTime(ctx: Context, typed: string): Since {
  const read = readTypedTime(ctx, 'since', typed);
  return 'problem' in read ? read : { from: read.at, doubt: read.doubt };
}
