import { openDatabase } from '../../src/db/database.ts';
import type { FakeSlack } from '../../src/playground/fake-slack.ts';
import type { Tables } from '../../src/service/store/tables.ts';
import type { Action } from './people.ts';

/** What is wrong with what came of it, a sentence for each fault. */
export async function judge(parts: {
  slack: FakeSlack;
  actions: readonly Action[];
  /** Marks of mentions that were acknowledged. */
  acknowledged: ReadonlySet<string>;
  apiDatabase: string;
}): Promise<readonly string[]> {
  const { slack, actions, acknowledged } = parts;
  await using database = await openDatabase(parts.apiDatabase);
  const rows = await database
    .as<Tables>()
    .selectFrom('activity')
    .select(['seq', 'body', 'incident_id'])
    .where('kind', 'in', ['userNote', 'taskAdded'])
    .orderBy('seq')
    .execute();
  const effects = new Map<string, { seq: number; incident: string }[]>();
  for (const { seq, body, incident_id } of rows) {
    const mark = /\bm\d+\b/.exec(body)?.[0] ?? '';
    effects.set(mark, [...(effects.get(mark) ?? []), { seq, incident: String(incident_id) }]);
  }
  const faults: string[] = [];
  const placed: { action: Action; seq: number }[] = [];
  for (const action of actions) {
    const found = effects.get(action.mark) ?? [];
    const isPromised = action.answer !== undefined || acknowledged.has(action.mark);
    if (found.length > 1) faults.push(`${action.kind} ${action.mark} took effect ${found.length} times`);
    if (found.length === 0 && isPromised)
      faults.push(`${action.kind} ${action.mark} is lost: ${action.answer ?? 'acknowledged'}`);
    if (action.kind === 'mention' && acknowledged.has(action.mark) && !action.answer) {
      faults.push(`nobody was told what became of ${action.kind} ${action.mark}`);
    }
    const [effect] = found;
    if (!effect) continue;
    placed.push({ action, seq: effect.seq });
    if (effect.incident !== action.incident) faults.push(`${action.mark} is in incident ${effect.incident}`);
  }
  for (const before of placed) {
    for (const after of placed) {
      const isLater = (before.action.answeredAt ?? Number.POSITIVE_INFINITY) < after.action.at;
      if (before.action.incident !== after.action.incident || !isLater || before.seq < after.seq) continue;
      faults.push(`${after.action.mark} took effect before ${before.action.mark}, which had been answered before`);
    }
  }
  for (const channel of slack.channels.filter(each => each.name.startsWith('inc-'))) {
    const cards = channel.messages.filter(
      each => each.botId && !each.ephemeralTo && /^Incident \d+ \(/.test(each.text),
    );
    if (cards.length !== 1) faults.push(`#${channel.name} has ${cards.length} cards`);
  }
  return faults;
}
