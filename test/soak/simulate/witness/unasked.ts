import { z } from 'zod';
import type { SlackCall } from '../trouble/slack-line.ts';

/** A question to somebody who is called, as it was sent. */
export interface Asked {
  readonly at: number;
  readonly userId: string;
  readonly call: string;
  readonly incidentID: string;
  /** The first word of the incident’s title. */
  readonly mark: string;
  /** What names the call in its words: the mark of its reason, or why its chain began; `""` for neither. */
  readonly name: string;
}

/** A reminder of what is owed, as it was sent. */
export interface Reminded {
  readonly at: number;
  /** What the clock of the process showed that sent it. */
  readonly clock: number;
  readonly kind: 'update' | 'lead' | 'news' | 'review';
  /** A person's id, or a channel's. */
  readonly to: string;
  readonly audience: 'owner' | 'room';
  /** As its words name it; `""` in a room, which has one incident. */
  readonly incidentID: string;
  /** When the update was due, in whole seconds since the epoch; 0 for other kinds. */
  readonly due: number;
  /** The room reads of the same update once more. */
  readonly isAgain: boolean;
}

/** How each reminder begins. */
const signs: Readonly<Record<Reminded['kind'], RegExp>> = {
  update: /(update|update that you promised|update that was due at \S+) (is due|was due|is still owed)|is still owed/i,
  lead: /Nobody has led this incident/,
  news: /Nobody has said anything/,
  review: /(?:The incident|that you led) ended a day ago/,
};
const reminds = /^:alarm_clock: /;
const dueAt = /<!date\^(\d+)\^/;

const OnCall = z.object({ incidentID: z.string(), call: z.string() });
const Cannot = z.object({ action_id: z.string().startsWith('call.cannot'), value: z.string() });
const Blocks = z.array(z.object({ elements: z.array(z.unknown()).catch([]) }));

/** Sees what Muster asks and reminds people of, whoever asked for it. */
export class Unasked {
  readonly asked: Asked[] = [];
  readonly reminded: Reminded[] = [];

  /** Something took effect in Slack; `clock` is what the clock of its sender showed. */
  happened({ method, args }: SlackCall, at: number, clock: number): void {
    if (method !== 'chat.postMessage') return;
    const text = String(args.text ?? '');
    const to = String(args.channel);
    const question = questionIn(args.blocks);
    // An answer that Slack did not take in place of its question comes as a message with the same buttons.
    if (question && text.startsWith('📟'))
      this.asked.push({ at, userId: to, ...question, mark: /“(\w+)/.exec(text)?.[1] ?? '', name: nameOfCall(text) });
    if (reminds.test(text)) this.#remind(text, { at, clock, to });
  }

  #remind(text: string, sent: Pick<Reminded, 'at' | 'clock' | 'to'>): void {
    const [headline = ''] = text.split('\n');
    const kind = (['lead', 'news', 'review', 'update'] as const).find(each => signs[each].test(headline));
    if (!kind) return;
    const due = kind === 'update' ? Number(dueAt.exec(headline)?.[1] ?? 0) : 0;
    const rest = text.split('\n').slice(1).join('\n');
    const incidentID = /\bincident (\d+)/i.exec(rest || text)?.[1] ?? '';
    const audience = sent.to.startsWith('U') ? 'owner' : 'room';
    this.reminded.push({ ...sent, kind, audience, incidentID, due, isAgain: headline.includes('is still owed') });
  }
}

function questionIn(blocks: unknown): z.output<typeof OnCall> | undefined {
  const given = typeof blocks === 'string' ? JSON.parse(blocks) : blocks;
  const elements = (Blocks.safeParse(given).data ?? []).flatMap(each => each.elements);
  const button = elements.map(each => Cannot.safeParse(each).data).find(each => each !== undefined);
  return button && OnCall.parse(JSON.parse(button.value));
}

/** What names a call, in its line and in its questions alike. */
export function nameOfCall(text: string): string {
  const chain = /because (?:its severity is|it has the label) \w+/.exec(text)?.[0];
  return chain ?? /(?:calls you\.\n(?:>|&gt;) ?|– by <@\w+>: )(m\d+)\b/.exec(text)?.[1] ?? '';
}
