import { createHash } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import type { BotTables } from '../../schema/tables.ts';

/** The parts of a room that show the state of its incident. */
export const shownParts = ['card', 'announcement', 'topic'] as const;
/** One of {@link shownParts}. */
export type ShownPart = (typeof shownParts)[number];

/** Digests of what Slack last showed in each part; `""` when that is not known, `!` where Slack refused it. */
export type BoardDigests = Readonly<Record<ShownPart, string>>;

/** The digests while it is unknown what Slack shows. */
export const noDigests: BoardDigests = { card: '', announcement: '', topic: '' };

/** Stands for the digest of a part that Slack refused to show; `schema/rooms.ts` finds the rooms that have one. */
export const refusedPart = '!';

/** The digest of the content of a part: equal for equal content, never `""`. */
export function digest(content: unknown): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('base64url').slice(0, 22);
}

/** Stands for a digest while a process writes that part. */
export const beingWritten: BoardDigests = { card: '?', announcement: '?', topic: '?' };

/** The columns with these digests. */
export function toShownColumns(shown: Partial<BoardDigests>): Partial<ShownColumns<string>> {
  return byColumn(shown, part => shown[part] ?? '');
}

/** The columns with these digests, where no process has written that part since it was stored as `before`. */
export function toWrittenColumns(
  shown: Partial<BoardDigests>,
  before: BoardDigests,
): Partial<ShownColumns<RawBuilder<string>>> {
  return byColumn(shown, (part, column) => {
    const written = shown[part] ?? '';
    return sql<string>`case when ${sql.ref(column)} = ${before[part]} then ${written} else '' end`;
  });
}

type ShownColumns<T> = Record<`${ShownPart}_shown`, T>;

function byColumn<T>(
  shown: Partial<BoardDigests>,
  value: (part: ShownPart, column: string) => T,
): Partial<ShownColumns<T>> {
  const parts = shownParts.filter(part => shown[part] !== undefined);
  return Object.fromEntries(parts.map(part => [`${part}_shown`, value(part, `${part}_shown`)]));
}

/** The digests that a room's row has. */
export function digestsOf(
  row: Pick<BotTables['bot_room'], 'card_shown' | 'announcement_shown' | 'topic_shown'>,
): BoardDigests {
  return { card: row.card_shown, announcement: row.announcement_shown, topic: row.topic_shown };
}
