import { sql } from 'kysely';
import type { Migration } from '../../db/migrate.ts';
import { keepNamedLinks } from './named-links.ts';
import type { Tables } from './tables.ts';
import { toMicros } from './time.ts';

/** Marks the short links that timelines name already (named-links.ts). */
export const namedLinks: Migration = {
  name: '009-named-links',
  async up(db) {
    const { rows } = await sql<{ body: string; url: string }>`
      select body, url from activity where body like '%/goto/%' or url like '%/goto/%'
    `.execute(db);
    const texts = rows.flatMap(({ body, url }) => [body, url]);
    await keepNamedLinks(db.withTables<Tables>(), texts, toMicros(new Date()));
  },
};
