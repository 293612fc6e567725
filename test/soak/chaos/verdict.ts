import { hash } from 'node:crypto';
import { createClient } from '../../../src/client/client.ts';
import { openHttpTransport } from '../../../src/client/transport.ts';
import type { ActivityItem } from '../../../src/contract/activity.ts';
import { patient } from '../../support/deadlines.ts';
import type { Act } from './people.ts';
import { query as read } from './query.ts';

/**
 * How long after its acknowledgement a command or shortcut may still be unstored, in milliseconds: storing it is begun with
 * the acknowledgement, and is one statement.
 */
const unstoredFor = 250;

/** What became of the acts that were acknowledged, without the pages. Each act is named by its incident and token. */
export interface Verdict {
  /** Those without an effect, but for the unstored. */
  readonly lost: readonly string[];
  /** Those, and others, with more than one effect. */
  readonly doubled: readonly string[];
  /** Those that took effect after one that was done later on the same incident. */
  readonly outOfOrder: readonly string[];
  /** An act that another process took up later: the first one died between acknowledging and journaling it. */
  readonly overtaken: readonly string[];
  /** Commands and shortcuts whose process was killed right after acknowledging, before it could store them. */
  readonly unstored: readonly string[];
  /** Those whose process died after it had stored them and before they were answered, and that another one took up. */
  readonly takenUp: number;
  /** Those that had not been acknowledged, and took effect all the same. */
  readonly silent: number;
}

/** The places of everything that was asked for. */
export interface Sources {
  readonly acts: readonly Act[];
  /** The service itself, and who may ask it. */
  readonly serviceUrl: string;
  readonly token: string;
  /** The bots' database. */
  readonly databaseUrl: string;
}

/** Judges from the service's own timelines; why something is missing, from the bots' database. */
export async function judge({ acts, serviceUrl, token, databaseUrl }: Sources): Promise<Verdict> {
  await using transport = openHttpTransport({ baseUrl: serviceUrl });
  const api = createClient({ ...patient().api, transport, token });
  const rows = await read(databaseUrl, 'select key, heartbeat from bot_delivery');
  const holders = new Map(rows.map(row => [String(row.key), Number(row.heartbeat) + 1]));
  const verdict = { lost: [] as string[], doubled: [] as string[], unstored: [] as string[], takenUp: 0, silent: 0 };
  const order = { outOfOrder: [] as string[], overtaken: [] as string[] };
  const inTimelines = acts.filter(act => act.kind !== 'page');
  for (const [incidentID, own] of Map.groupBy(inTimelines, act => act.incidentID)) {
    const items: ActivityItem[] = [];
    for (let cursor = { nextValue: '', hasMore: true }; cursor.hasMore; ) {
      const query = { incidentID, orderDirection: 'ASC' as const, limit: 100 };
      const page = await api.ActivityService.QueryActivity({ query, cursor });
      items.push(...page.activityItems);
      cursor = page.cursor;
    }
    const happened: Happened[] = [];
    for (const act of own) {
      const effects = items.filter(item => shows(item, act)).map(toSeq);
      const name = `${act.kind} ${incidentID}/${act.token}`;
      if (effects.length > 1) verdict.doubled.push(name);
      const [seq] = effects;
      if (!act.acknowledged) verdict.silent += effects.length > 0 ? 1 : 0;
      else if (seq !== undefined) happened.push({ name, seq, isTakenUp: (holders.get(keyOf(act)) ?? 1) > 1 });
      else if (mayBeUnstored(act, holders)) verdict.unstored.push(name);
      else verdict.lost.push(`${name} (${fateOf(act, holders)})`);
    }
    verdict.takenUp += happened.filter(each => each.isTakenUp).length;
    const { outOfOrder, overtaken } = judgeOrder(happened);
    order.outOfOrder.push(...outOfOrder);
    order.overtaken.push(...overtaken);
  }
  return { ...verdict, ...order };
}

/** An act with its one effect: where that stands in the timeline, and whether another process took the act up. */
export interface Happened {
  readonly name: string;
  readonly seq: number;
  readonly isTakenUp: boolean;
}

/** What of one incident, given in the order in which people did it, took effect after something that was done later. */
export function judgeOrder(happened: readonly Happened[]): Pick<Verdict, 'outOfOrder' | 'overtaken'> {
  const toName = ({ name }: Happened) => name;
  const atOnce = happened.filter(each => !each.isTakenUp);
  return {
    outOfOrder: late(atOnce).map(toName),
    overtaken: late(happened)
      .filter(each => each.isTakenUp)
      .map(toName),
  };
}

/** What must not be: all of it is empty when everything holds. */
export function violations({ lost, doubled, outOfOrder, overtaken }: Verdict) {
  return { lost, doubled, outOfOrder, overtaken };
}

/** Those that took effect after something that was done later. */
function late(happened: readonly Happened[]): readonly Happened[] {
  return happened.filter(({ seq }, index) => happened.slice(index + 1).some(next => next.seq < seq));
}

function shows(item: ActivityItem, { kind, token }: Act): boolean {
  const shown = { task: 'taskAdded', severity: 'incidentSeverityChanged' }[kind as 'task' | 'severity'] ?? 'userNote';
  return item.activityKind === shown && item.body.includes(token);
}

/** Timeline items are numbered in the order in which they come to be. */
function toSeq(item: ActivityItem): number {
  return Number(item.activityItemID.slice(item.activityItemID.lastIndexOf('-') + 1));
}

function mayBeUnstored(act: Act, holders: ReadonlyMap<string, number>): boolean {
  const { acknowledged } = act;
  const killedAt = acknowledged?.life?.killedAt;
  if (act.kind === 'mention' || !acknowledged || killedAt === undefined || holders.has(keyOf(act))) return false;
  return killedAt - acknowledged.at <= unstoredFor;
}

/** What is known of an act that had no effect. */
function fateOf(act: Act, holders: ReadonlyMap<string, number>): string {
  const { acknowledged } = act;
  const count = holders.get(keyOf(act));
  const killedAt = acknowledged?.life?.killedAt;
  const end = killedAt === undefined ? 'its process lived' : `killed ${killedAt - (acknowledged?.at ?? 0)} ms later`;
  return count === undefined ? `never stored, ${end}` : `stored, held by ${count} processes, ${end}`;
}

/** The key under which the bots store the delivery of an act. */
function keyOf({ acknowledged }: Act): string {
  const body = acknowledged?.body ?? '';
  const digest = (text: unknown) => hash('sha256', String(text), 'base64url').slice(0, 22);
  if (body.startsWith('{')) {
    const { event } = JSON.parse(body);
    return `message/${event.channel}/${event.ts}`;
  }
  const form = new URLSearchParams(body);
  const payload = form.get('payload');
  return payload === null
    ? `command/${digest(form.get('trigger_id'))}`
    : `shortcut/${digest(JSON.parse(payload).trigger_id)}`;
}
