import { toMigrations } from '../../db/migrate.ts';
import { countGroups } from './alerts.ts';
import { botTables } from './tables.ts';

/** Steps of the bot's schema, in order. The first is the schema of 0.12.0. */
export const botMigrations = toMigrations({
  tables: botTables,
  steps: [
    { name: '035-visits' },
    { name: '036-outdated' },
    { name: '037-processes' },
    { name: '038-alert-counts', fill: countGroups },
    { name: '039-changes-of-deliveries' },
    { name: '040-hung' },
    { name: '041-alert-life' },
    { name: '042-news-of-pages' },
    { name: '043-urgent' },
    { name: '044-told' },
    { name: '045-rooms-back' },
  ],
});
