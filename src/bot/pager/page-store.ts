import { type Kysely, sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import type { NoTables } from '../../db/engine.ts';
import { definePrepared } from '../../db/prepared.ts';
import type { NewPage, PageNews, Pagers } from '../incident/acts/pagers.ts';
import { readKnownState } from '../incident/lines/known-state.ts';
import { addLine, rewordLine } from '../incident/lines/outbox.ts';
import { decodeError, laneLock } from '../journal/rows.ts';
import { keepFor } from '../keep-for.ts';
import { userOf } from '../people/person.ts';
import type { PageState, PageTable } from '../schema/pages-sent.ts';
import type { BotTables } from '../schema/tables.ts';
import { mention, toMrkdwn } from '../text/blocks.ts';
import { signs } from '../text/signs.ts';
import { toSlackDate } from '../text/times.ts';

/*
 * The pages to pagers, each with its line in the room of its incident. A page only ever goes further, so that news of it that come twice, late
 * or in the wrong order change nothing.
 */

/** Why a page was asked for, and by whom (mrkdwn). */
function reasonOf(why: string, actor: string): string {
  const user = userOf(actor);
  return `${why === '' ? '' : `: ${toMrkdwn(why, 500)}`}${user === '' ? '' : ` – by ${mention(user)}`}`;
}

/** The line about a page that its pager took (mrkdwn). `actor` is the owner of its intent, or Slack's id. */
export function sentWords(pager: string, why: string, actor: string): string {
  return `${signs.call} Paged *${toMrkdwn(pager, 40)}*${reasonOf(why, actor)}`;
}

/** The line about a page, as mrkdwn. */
function pageWords({ pager, why, actor, state, trouble, acknowledged_by, changed_at }: PageTable): string {
  const name = `*${toMrkdwn(pager, 40)}*`;
  const by = acknowledged_by === '' ? '' : ` by ${toMrkdwn(acknowledged_by, 80)},`;
  switch (state) {
    case 'begun':
    case 'waiting':
      return `${signs.warning} ${name} is *not paged yet*, and I keep trying${reasonOf(why, actor)}`;
    case 'failed':
      return `${signs.warning} ${name} was *not paged* (“${toMrkdwn(trouble, 400)}”)${reasonOf(why, actor)}`;
    case 'sent':
      return sentWords(pager, why, actor);
    case 'acknowledged':
      return `${sentWords(pager, why, actor)} · acknowledged there${by} ${toSlackDate(new Date(changed_at))}`;
    case 'resolved':
      return `${sentWords(pager, why, actor)} · ${acknowledged_by === '' ? 'closed there' : `acknowledged there${by} now closed`}`;
  }
}

/** How far a page is. */
const ranks: Readonly<Record<PageState, number>> = {
  ...{ begun: 0, waiting: 1, failed: 2, sent: 3, acknowledged: 4, resolved: 5 },
};

/** Pages deleted, or looked at, together. */
const together = 500;

/** A page that a pager may still show as open. */
export interface OpenPage {
  readonly id: string;
  readonly incident_id: string;
  readonly pager: string;
}

/** Pages that the pager may still have open, oldest first. */
const findOpen = definePrepared<BotTables, Record<never, never>, OpenPage>(db =>
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

/** The pages in the bot's database, with the line of each in its room. */
export class PageStore {
  readonly #database: Database;
  readonly #db: Kysely<BotTables>;
  readonly #clock: () => Date;

  constructor(database: Database, clock: () => Date) {
    this.#database = database;
    this.#db = database.as<BotTables>();
    this.#clock = clock;
  }

  find(id: string, db = this.#db): Promise<PageTable | undefined> {
    return db.selectFrom('bot_page').selectAll().where('id', '=', id).executeTakeFirst();
  }

  /** Stores a page before it is sent, unless it is stored. Returns it as it is stored. */
  async begin(page: NewPage): Promise<PageTable> {
    const row: PageTable = {
      ...page,
      ...{ state: 'begun', acknowledged_by: '', trouble: '', changed_at: this.#clock().getTime() },
    };
    await this.#database.single<BotTables, unknown>(some =>
      some
        .insertInto('bot_page')
        .values(row)
        .onConflict(conflict => conflict.column('id').doNothing())
        .execute(),
    );
    return (await this.find(page.id)) ?? row;
  }

  /** Whether a page of an incident that was asked for since a moment, in epoch milliseconds, is acknowledged. */
  async isAcknowledged(incidentID: string, since: number): Promise<boolean> {
    const page = await this.#db
      .selectFrom('bot_page')
      .select('id')
      .where('incident_id', '=', incidentID)
      .where('asked_at', '>=', since)
      .where(({ or, eb }) => or([eb('state', '=', 'acknowledged'), eb('acknowledged_by', '!=', '')]))
      .executeTakeFirst();
    return page !== undefined;
  }

  /** The newest page of an incident to a pager that was asked for after a moment and did not fail, apart from one. */
  lastSince: Pagers['lastSince'] = (incidentID, { pager, since, except = '' }) =>
    this.#db
      .selectFrom('bot_page')
      .selectAll()
      .where('incident_id', '=', incidentID)
      .where('pager', '=', pager)
      .where('asked_at', '>', since)
      .where('state', '!=', 'failed')
      .where('id', '!=', except)
      .orderBy('asked_at', 'desc')
      .executeTakeFirst();

  /** Stores news of a page, as far as it is further than before. Returns the incident whose room reads it; undefined when nothing changed. */
  async record(id: string, { state, by = '', trouble = '' }: PageNews): Promise<string | undefined> {
    for (let known = await this.find(id); known && ranks[state] > ranks[known.state]; known = await this.find(id)) {
      const { incident_id: incidentID } = known;
      // Lines of a room are added under its lock.
      const isStored = await this.#database.withLock<NoTables, boolean>(laneLock([incidentID]), async plain => {
        const trx = plain.withTables<BotTables>();
        const before = await this.find(id, trx);
        // It was registered, or is further, meanwhile.
        if (before?.incident_id !== incidentID || ranks[state] <= ranks[before.state]) return false;
        const now = this.#clock();
        const page = {
          ...before,
          ...{ state, trouble, changed_at: now.getTime() },
          acknowledged_by: by || before.acknowledged_by,
        };
        await trx.updateTable('bot_page').set(page).where('id', '=', id).execute();
        const words = pageWords(page);
        const { actor, asked_at } = page;
        const line = { id, incidentID, actor, askedAt: new Date(asked_at), doneAt: now, words, isOwnMessage: true };
        // The line of a page that was sent is added with the outcome of its intent; here it is only reworded, if it is there.
        if (state !== 'sent') await addLine(plain, line);
        await rewordLine(plain, id, words);
        return true;
      });
      if (isStored) return incidentID;
    }
    return undefined;
  }

  /** The pages that pagers still show as open and whose incidents are over, oldest first. */
  async closable(): Promise<readonly OpenPage[]> {
    const open = await findOpen(this.#db, {});
    const over = new Set<string>();
    for (const incidentID of new Set(open.map(each => each.incident_id)))
      if ((await readKnownState(this.#db, incidentID))?.status === 'resolved') over.add(incidentID);
    return open.filter(each => over.has(each.incident_id));
  }

  /** The pages that no pager took and that the journal tries no more, each with its last failure in plain text. */
  async givenUp(): Promise<readonly { readonly id: string; readonly trouble: string }[]> {
    const pages = await findGivenUp(this.#db, {});
    return pages.map(({ id, outcome }) => ({ id, trouble: decodeError(outcome).message }));
  }

  /** Deletes some pages that did not change for long; returns how many. */
  async purge(now: Date): Promise<number> {
    const old = this.#db
      .selectFrom('bot_page')
      .select('id')
      .where('changed_at', '<', now.getTime() - keepFor.pages);
    const ids = (await old.limit(together).execute()).map(each => each.id);
    if (ids.length > 0)
      await this.#database.single<BotTables, unknown>(some =>
        some.deleteFrom('bot_page').where('id', 'in', ids).execute(),
      );
    return ids.length;
  }
}
