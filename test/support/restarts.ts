import { onTestFinished } from 'vitest';
import { openDatabase } from '../../src/db/database.ts';
import { patient } from './deadlines.ts';
import { makeFresh } from './fresh-database.ts';
import { openInstalledSlack, openWorkplace, type WorkplaceOptions } from './workplace.ts';

/** Alice and bob in #general, a database, and Musters that start on it one after the other, all with these options. */
export async function openRestarts(usual: WorkplaceOptions = {}) {
  const url = await makeFresh();
  const slack = await openInstalledSlack(usual.clock);
  const database = await openDatabase(url, { deadlines: patient() });
  onTestFinished(() => database[Symbol.asyncDispose]());
  const alice = slack.addPerson({ name: 'alice', email: 'alice@example.com' });
  const bob = slack.addPerson({ name: 'bob', email: 'bob@example.com' });
  const general = slack.addChannel({ name: 'general', members: [alice, bob], botIsMember: true });
  const settings = { ...usual.settings, DATABASE_URL: url };
  return {
    url,
    slack,
    database,
    alice,
    bob,
    general,
    /** Starts Muster in this process. */
    open: (options: WorkplaceOptions = {}) => openWorkplace({ ...usual, settings, slack, ...options }),
  };
}
