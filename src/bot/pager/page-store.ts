import { type Kysely, sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import type { NoTables } from '../../db/engine.ts';
import { definePrepared } from '../../db/prepared.ts';
import type { NewPage, PageNews, Pagers } from '../incident/acts/pagers.ts';
import { followPage } from '../incident/lines/calls.ts';
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
 * The pages to pagers, each with its line in the room of its incident. Only a person's acknowledgement takes a page, until the pager says that
 * it is void; chains of calls follow that.
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
function pageWords(page: PageTable): string {
  const { pager, why, actor, state, trouble } = page;
  const name = `*${toMrkdwn(pager, 40)}*`;
  switch (state) {
    case 'begun':
    case 'waiting':
      return `${signs.warning} ${name} is *not paged yet*, and I keep trying${reasonOf(why, actor)}`;
    case 'failed':
      return `${signs.warning} ${name} was *not paged* (“${toMrkdwn(trouble, 400)}”)${reasonOf(why, actor)}`;
    case 'sent':
      return sentWords(pager, why, actor);
    default:
      return `${sentWords(pager, why, actor)} · ${newsWords(page)}`;
  }
}

/** The last news of a page from its pager (mrkdwn). Only the acknowledgement of a person reads as one. */
function newsWords({ state, acknowledged_by, who, news_at, changed_at }: PageTable): string {
  const name = toMrkdwn(who, 80);
  const [by, to] = name === '' ? ['', ''] : [` by ${name}`, ` to ${name}`];
  const at = toSlackDate(new Date(news_at || changed_at));
  const taken = acknowledged_by === '' ? '' : `acknowledged there by ${toMrkdwn(acknowledged_by, 80)},`;
  switch (state) {
    case 'acknowledged':
      return `${taken || `acknowledged there${by}, and not by a person,`} ${at}`;
    case 'unacknowledged':
      return `the acknowledgement there ran out, ${at}`;
    case 'escalated':
      return `escalated there${to}, not acknowledged yet, ${at}`;
    case 'reassigned':
      return `passed on there${to}, not acknowledged yet, ${at}`;
    case 'reopened':
      return `opened again there${by}, not acknowledged yet, ${at}`;
    default:
      return `${taken === '' ? '' : `${taken} `}closed there${by === '' ? '' : ` (${by.trim()})`}`;
  }
}

/** The states of a page that no pager has told of yet, in their order. */
const ownStates: readonly PageState[] = ['begun', 'waiting', 'failed', 'sent'];

/** How far the clock of a pager may be ahead, in milliseconds; what it dates later counts as of now. */
const ahead = 300_000;

/**
 * A page after news of it; undefined where they tell nothing new. Until its pager speaks, a page only goes further. Then the news that happened
 * last count, however late and often others come. News without a moment open nothing that is closed, unless they say so.
 */
export function afterNews(
  page: PageTable,
  { state, who = '', isPerson = false, at, trouble = '' }: PageNews,
  now: number,
): PageTable | undefined {
  const [from, to] = [ownStates.indexOf(page.state), ownStates.indexOf(state)];
  const after = { ...page, state, trouble, changed_at: now };
  if (to >= 0) return from >= 0 && to > from ? after : undefined;
  const happened = at === undefined || at > now + ahead ? now : at;
  if (from < 0) {
    if (at === undefined && (state === page.state || (page.state === 'resolved' && state !== 'reopened')))
      return undefined;
    if (at !== undefined && happened <= page.news_at) return undefined;
  }
  const kept = state === 'acknowledged' || state === 'resolved' ? page.acknowledged_by : '';
  const acknowledged_by = state === 'acknowledged' && isPerson ? who || 'somebody' : kept;
  // The pager's answer to the end of the incident names Muster's own integration.
  const isKnown = page.state === 'resolved' && state === 'resolved';
  return { ...after, who: isKnown ? page.who : who, acknowledged_by, news_at: happened };
}

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
    .where('state', 'in', ['sent', 'acknowledged', 'unacknowledged', 'escalated', 'reassigned', 'reopened'])
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
      ...{ state: 'begun', acknowledged_by: '', who: '', news_at: 0, trouble: '' },
      changed_at: this.#clock().getTime(),
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

  /** Whether a person took a page of an incident that was asked for since a moment, in epoch milliseconds: their acknowledgement holds. */
  async isAcknowledged(incidentID: string, since: number): Promise<boolean> {
    const page = await this.#db
      .selectFrom('bot_page')
      .select('id')
      .where('incident_id', '=', incidentID)
      .where('asked_at', '>=', since)
      .where('acknowledged_by', '!=', '')
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

  /**
   * Stores news of a page; the chains that it took, or that nobody takes any more, follow: these call their next target `callAfter` minutes
   * later, since the page rings again. Returns the incident whose room reads it; undefined when nothing changed.
   */
  async record(id: string, news: PageNews, callAfter: number): Promise<string | undefined> {
    const next = (page: PageTable) => afterNews(page, news, this.#clock().getTime());
    for (let known = await this.find(id); known && next(known); known = await this.find(id)) {
      const { incident_id: incidentID } = known;
      // Lines of a room are added under its lock.
      const isStored = await this.#database.withLock<NoTables, boolean>(laneLock([incidentID]), async plain => {
        const trx = plain.withTables<BotTables>();
        const before = await this.find(id, trx);
        // It was registered, or is further, meanwhile.
        const page = before?.incident_id === incidentID ? next(before) : undefined;
        if (before === undefined || page === undefined) return false;
        await trx.updateTable('bot_page').set(page).where('id', '=', id).execute();
        const words = pageWords(page);
        const { actor, state, news_at, acknowledged_by } = page;
        const now = this.#clock();
        const line = { incidentID, doneAt: now, isOwnMessage: true };
        // The line of a page that was sent is added with the outcome of its intent; here it is only reworded, if it is there.
        if (state !== 'sent') await addLine(plain, { ...line, id, actor, askedAt: new Date(page.asked_at), words });
        await rewordLine(plain, id, words);
        const isTaken = acknowledged_by !== '';
        const isLost = !isTaken && before.acknowledged_by !== '';
        // An edit notifies nobody.
        const isWorse = isLost || (!isTaken && (state === 'resolved' || state === 'reopened'));
        if (isWorse && (await readKnownState(trx, incidentID))?.status !== 'resolved') {
          const words = `${signs.warning} *Nobody has taken the page to ${toMrkdwn(page.pager, 40)}*: ${newsWords(page)}`;
          await addLine(plain, { ...line, id: `${id}/${state}/${news_at}`, actor: '', askedAt: now, words });
        }
        if (isTaken || isLost) await followPage(plain, page, { isTaken, nextAt: now.getTime() + callAfter * 60_000 });
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
