import type { Logger } from 'pino';
import type { Database } from '../../db/database.ts';
import type { IncidentDeps } from '../incident/acts/intent-kind.ts';
import type { BotTables } from '../schema/tables.ts';
import { sendDirectly } from '../slack/answer.ts';
import { sentence, toMrkdwn } from '../text/blocks.ts';
import { signs } from '../text/signs.ts';

/** The channel of a source reads so seldom that a delivery of it was refused, in milliseconds. */
const every = 3_600_000;

interface RefusalDeps {
  readonly database: Database;
  readonly incidents: () => IncidentDeps;
  readonly clock: () => Date;
  readonly log: Logger;
}

/**
 * Tells the channel of a source that a delivery of it was refused: the tool’s own log may be read by nobody. The hour is kept in the database,
 * since several processes may refuse. Never throws.
 */
export async function tellOfRefusal(
  { database, incidents, clock, log }: RefusalDeps,
  { source, channel, why }: { readonly source: string; readonly channel: string; readonly why: string },
): Promise<void> {
  const name = `told alert ${source} refused`;
  const [seen_at, before] = [clock().toISOString(), new Date(clock().getTime() - every).toISOString()];
  try {
    const told = await database.single<BotTables, readonly unknown[]>(db =>
      db
        .insertInto('bot_sighting')
        .values({ name, seen_at })
        .onConflict(conflict =>
          conflict.column('name').doUpdateSet({ seen_at }).where('bot_sighting.seen_at', '<=', before),
        )
        .returning('name')
        .execute(),
    );
    if (told.length === 0 || channel === '') return;
    const { slack, visibility } = incidents();
    // Outsiders read no source here, and a reason may quote it.
    const isOpen = (await visibility.outsidersIn(channel)) === undefined;
    const [of, reason] = isOpen ? [` of ${toMrkdwn(source, 40)}`, ` ${toMrkdwn(why, 500)}`] : ['', ''];
    const rest = 'This channel reads of refusals once an hour at most. The doctor and the log name the source of each.';
    await sendDirectly(
      slack,
      channel,
      sentence(`${signs.alert} *An alert${of} was refused*, so nobody reads it.${reason} ${rest}`),
    );
  } catch (err) {
    log.warn({ err, source }, 'alerts: the channel could not be told of a refusal');
  }
}
