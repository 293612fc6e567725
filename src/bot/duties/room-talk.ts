import type { Logger } from 'pino';
import type { Database } from '../../db/database.ts';
import type { BotTables } from '../schema/tables.ts';
import { standing } from './store.ts';

/** A channel whose people talked is not noted again for so long, in milliseconds: many messages are one sign of life. */
const notedFor = 30_000;
/** Channels that are remembered; the oldest is forgotten first. */
const mostKnown = 1000;

/** The parts of Muster that hearing of talk uses. */
interface TalkDeps {
  readonly database: Database;
  readonly teamId: string;
  readonly clock: () => Date;
  readonly log: Logger;
}

/** What is said in rooms, as far as it ends a silence. */
export class RoomTalk {
  readonly #deps: TalkDeps;
  /** When talk in a channel was last noted. */
  readonly #noted = new Map<string, number>();
  readonly #noting = new Set<Promise<void>>();

  constructor(deps: TalkDeps) {
    this.#deps = deps;
  }

  /** People talked in a channel. It is noted in the background: what is lost costs a reminder too many. */
  hear(channelId: string): void {
    const { clock, log } = this.#deps;
    const now = clock().getTime();
    const last = this.#noted.get(channelId) ?? Number.NEGATIVE_INFINITY;
    if (now >= last && now - last < notedFor) return;
    this.#noted.delete(channelId);
    if (this.#noted.size >= mostKnown) this.#noted.delete(this.#noted.keys().next().value ?? '');
    this.#noted.set(channelId, now);
    const noting = this.#note(channelId, now)
      .catch(err => log.warn({ err }, 'duties: could not note that people talk'))
      .finally(() => this.#noting.delete(noting));
    this.#noting.add(noting);
  }

  /** Resolves when everything heard is noted. */
  async idle(): Promise<void> {
    await Promise.all(this.#noting);
  }

  async #note(channelId: string, now: number): Promise<void> {
    const { database, teamId } = this.#deps;
    await database.single<BotTables, unknown>(some =>
      some
        .updateTable('bot_duty')
        .set(({ eb, ref }) => ({
          talked_at: now,
          // A reminder of the silence says then that it is settled.
          look_at: eb.case().when('said', '>', 0).then(now).else(ref('look_at')).end(),
        }))
        .where('kind', '=', 'news')
        .where('state', 'in', [...standing])
        .where('incident_id', 'in', ({ selectFrom }) =>
          selectFrom('bot_room')
            .select('incident_id')
            .where('team_id', '=', teamId)
            .where('channel_id', '=', channelId),
        )
        .execute(),
    );
  }
}
