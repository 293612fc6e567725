import type { CompiledQuery } from 'kysely';
import type { Transport } from '../../../../src/client/transport.ts';
import { corrected } from '../people/crowd.ts';
import type { SlackCall } from '../trouble/slack-line.ts';
import type { Variant } from './variant.ts';

/* How parts of Muster are broken on purpose. */

/** Loses one of so many of the statements that look like this. */
export function losing(sign: RegExp, of: number): NonNullable<Variant['statement']> {
  return query => (sign.test(query.sql) && Math.random() * of < 1 ? undefined : query);
}

/** Fails one of so many of the statements that look like this, as nothing does that passes. */
export function failing(sign: RegExp, of: number): NonNullable<Variant['statement']> {
  return query => {
    if (sign.test(query.sql) && Math.random() * of < 1) throw new Error('a fault without a code');
    return query;
  };
}

/** Keeps in its lane what the API refused. */
export function keepingRefused(query: CompiledQuery): CompiledQuery {
  const isRefusal = /^update "bot_intent" set "state" = \?/.test(query.sql) && query.parameters[0] === 'failed';
  return isRefusal ? { ...query, parameters: query.parameters.with(0, 'pending') } : query;
}

/** The statements that hand work back, each with the place of `next_at` among its parameters. */
const handsBack: readonly (readonly [sign: RegExp, nextAt: number])[] = [
  [/^update "bot_delivery" set "lease_owner" = \?, "next_at" = \?, "attempts" = case .* end where/, 1],
  [/^update "bot_intent" set "state" = \?, "ambiguous" = \?, "next_at" = \?, .*where .*"lease_owner" = \?/, 2],
];

/** Hands deliveries and intents back so that nobody takes them up for a minute. */
export function handingBackLate(query: CompiledQuery): CompiledQuery {
  const nextAt = handsBack.find(([sign]) => sign.test(query.sql))?.[1];
  return nextAt === undefined ? query : { ...query, parameters: query.parameters.with(nextAt, Date.now() + 60_000) };
}

/** Sets a parameter of the statements that look like this an hour later. */
export function late(sign: RegExp, place: number): NonNullable<Variant['statement']> {
  return query => {
    const moment = query.parameters[place];
    if (!sign.test(query.sql) || typeof moment !== 'number' || moment === 0) return query;
    return { ...query, parameters: query.parameters.with(place, moment + 3_600_000) };
  };
}

/** Writes so much of every statement otherwise. */
export function rewriting(what: RegExp, by: string): NonNullable<Variant['statement']> {
  return query => ({ ...query, sql: query.sql.replaceAll(what, by) });
}

/** Whether a call tells a room of changes elsewhere. */
export function tellsOfElsewhere({ args }: SlackCall): boolean {
  return String(args.text ?? '').includes('📡');
}

/** Whether a call posts news below an announcement. */
export function isNews({ method, args }: SlackCall): boolean {
  return method === 'chat.postMessage' && Boolean(args.reply_broadcast);
}

/** Whether a call gives the place of a declaration the words that it was a mistake. */
export function tellsOfMistake({ method, args }: SlackCall): boolean {
  return method === 'chat.update' && String(args.text).includes('Declared by mistake:');
}

/** Whether a call publishes a home tab that says what a press on it has done. */
export function tellsOfPress({ method, args }: SlackCall): boolean {
  return method === 'views.publish' && JSON.stringify(args.view).includes('Undo');
}

/** An API that says it has done what it has not. */
export function withoutEffect(method: string): NonNullable<Variant['answer']> {
  return real => request =>
    request.path.endsWith(method)
      ? Promise.resolve({ status: 200, headers: { 'content-type': 'application/json' }, body: '{"activityItem":{}}' })
      : real(request);
}

/** Messages that hide the reactions of everybody else. */
export function withoutOthers({ method }: SlackCall, body: string): string {
  return /^conversations\.(history|replies)$/.test(method) ? body.replaceAll(/"count":\d+/g, '"count":0') : body;
}

/** A channel in which nothing stands below a message; who searches for a post of Muster, by its metadata, finds it still. */
export function withoutNewer({ method, args }: SlackCall, body: string): string {
  const searches = args.include_all_metadata !== undefined;
  return method === 'conversations.history' && args.oldest !== undefined && !searches
    ? JSON.stringify({ ok: true, messages: [] })
    : body;
}

/** An API that keeps the first words of a note. */
export function withoutCorrections(real: Transport): Transport {
  return request => {
    if (!request.path.endsWith('ActivityService.UpdateActivityBody')) return real(request);
    return real({ ...request, body: request.body?.replace(corrected, 'by mention') });
  };
}

/** An API for which a note is about the moment at which it is written. */
export function withEventTimeOfNow(real: Transport): Transport {
  return request => {
    if (!request.path.endsWith('ActivityService.AddActivity')) return real(request);
    const body = { ...JSON.parse(request.body ?? '{}'), eventTime: new Date().toISOString() };
    return real({ ...request, body: JSON.stringify(body) });
  };
}

/** Posts every message twice whose text or blocks look like this. */
export function doubling(sign: RegExp): NonNullable<Variant['effects']> {
  return ({ method, args }) =>
    method === 'chat.postMessage' && sign.test(JSON.stringify([args.text, args.blocks])) ? 2 : 1;
}
