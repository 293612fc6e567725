import { type Kysely, sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import type { NoTables } from '../../db/engine.ts';
import { definePrepared } from '../../db/prepared.ts';
import { readKnownState } from '../incident/lines/known-state.ts';
import { addLine, rewordLine } from '../incident/lines/outbox.ts';
import type { PageNews, Pagers } from '../incident/state/pagers.ts';
import { decodeError, laneLock } from '../journal/rows.ts';
import { keepFor } from '../keep-for.ts';
import type { PageState, PageTable } from '../schema/pages-sent.ts';
import type { BotTables } from '../schema/tables.ts';
import { pageWords } from './page-words.ts';

/** The pages as they are stored, with the line of each in its room. */
export interface PageStore extends Pick<Pagers, 'begin' | 'isAcknowledged' | 'purge'> {
  find(id: string): Promise<PageTable | undefined>;
  /** As {@link Pagers.note}. Returns the incident whose room reads it; undefined when nothing changed. */
  note(id: string, news: PageNews): Promise<string | undefined>;
  /** The pages that pagers still show as open and whose incidents are over, oldest first. */
  closable(): Promise<readonly Pick<PageTable, 'id' | 'incident_id' | 'pager'>[]>;
  /** The pages that no pager took and that the journal tries no more, each with its last failure in plain text. */
  givenUp(): Promise<readonly { readonly id: string; readonly trouble: string }[]>;
}

/** How far a page is. It only ever goes further, so that news that comes twice, late or in the wrong order changes nothing. */
const ranks: Readonly<Record<PageState, number>> = {
  ...{ begun: 0, waiting: 1, failed: 2, sent: 3, acknowledged: 4, resolved: 5 },
};

/** Pages deleted, or looked at, together. */
const together = 500;

/** Pages that somebody may still have to hear of, oldest first. */
const findOpen = definePrepared<BotTables, Record<never, never>, { id: string; incident_id: string; pager: string }>(
  db =>
    db
      .selectFrom('bot_page')
      .select(['id', 'incident_id', 'pager'])
      .where('state', 'in', ['sent', 'acknowledged'])
      .orderBy('asked_at')
      .limit(sql.lit(together)),
);

/** Pages whose intent is tried no more. */
const findGivenUp = definePrepared<BotTables, Record<never, never>, { id: string; outcome: string }>(db =>
  db
    .selectFrom('bot_page as page')
    .innerJoin('bot_intent as intent', 'intent.id', 'page.id')
    .select(['page.id', 'intent.outcome'])
    .where('page.state', 'in', ['begun', 'waiting'])
    .where('intent.state', 'in', ['failed', 'discarded'])
    .limit(sql.lit(together)),
);

/** Opens the pages in the bot's database. */
export function openPageStore(database: Database, clock: () => Date): PageStore {
  const db = database.as<BotTables>();
  const find = (some: Kysely<BotTables>, id: string): Promise<PageTable | undefined> =>
    some.selectFrom('bot_page').selectAll().where('id', '=', id).executeTakeFirst();

  return {
    find: id => find(db, id),
    begin: async page => {
      const row: PageTable = {
        ...page,
        ...{ state: 'begun', acknowledged_by: '', trouble: '', changed_at: clock().getTime() },
      };
      await database.single<BotTables, unknown>(some =>
        some
          .insertInto('bot_page')
          .values(row)
          .onConflict(conflict => conflict.column('id').doNothing())
          .execute(),
      );
      return (await find(db, page.id)) ?? row;
    },
    isAcknowledged: async (incidentID, since) => {
      const page = await db
        .selectFrom('bot_page')
        .select('id')
        .where('incident_id', '=', incidentID)
        .where('asked_at', '>=', since)
        .where(({ or, eb }) => or([eb('state', '=', 'acknowledged'), eb('acknowledged_by', '!=', '')]))
        .executeTakeFirst();
      return page !== undefined;
    },
    note: async (id, { state, by = '', trouble = '' }) => {
      for (let known = await find(db, id); known && ranks[state] > ranks[known.state]; known = await find(db, id)) {
        const { incident_id: incidentID } = known;
        // Lines of a room are added under its lock.
        const noted = await database.withLock<NoTables, boolean>(laneLock([incidentID]), async plain => {
          const trx = plain.withTables<BotTables>();
          const before = await find(trx, id);
          // It was registered, or is further, meanwhile.
          if (before?.incident_id !== incidentID || ranks[state] <= ranks[before.state]) return false;
          const now = clock();
          const page = {
            ...before,
            ...{ state, trouble, changed_at: now.getTime() },
            acknowledged_by: by || before.acknowledged_by,
          };
          await trx.updateTable('bot_page').set(page).where('id', '=', id).execute();
          await tell(plain, page, now);
          return true;
        });
        if (noted) return incidentID;
      }
      return undefined;
    },
    closable: async () => {
      const open = await findOpen(db, {});
      const over = new Set<string>();
      for (const incidentID of new Set(open.map(each => each.incident_id)))
        if ((await readKnownState(db, incidentID))?.status === 'resolved') over.add(incidentID);
      return open.filter(each => over.has(each.incident_id));
    },
    givenUp: async () => {
      const pages = await findGivenUp(db, {});
      return pages.map(({ id, outcome }) => ({ id, trouble: decodeError(outcome).message }));
    },
    purge: async now => {
      const old = db
        .selectFrom('bot_page')
        .select('id')
        .where('changed_at', '<', now.getTime() - keepFor.pages)
        .limit(together);
      const ids = (await old.execute()).map(each => each.id);
      if (ids.length > 0)
        await database.single<BotTables, unknown>(some => some.deleteFrom('bot_page').where('id', 'in', ids).execute());
      return ids.length;
    },
  };
}

/** The line of a page that was sent is added with the outcome of its intent; here it is only reworded where it stands. */
async function tell(plain: Kysely<NoTables>, page: PageTable, now: Date): Promise<void> {
  const { id, incident_id: incidentID, actor, asked_at } = page;
  const words = pageWords(page);
  const line = { id, incidentID, actor, askedAt: new Date(asked_at), doneAt: now, words, isAlone: true };
  if (page.state !== 'sent') await addLine(plain, line);
  await rewordLine(plain, id, words);
}
