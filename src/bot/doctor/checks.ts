import type { Logger } from 'pino';
import type { Database } from '../../db/database.ts';
import type { StateCount } from '../journal/rows.ts';
import { checkAlerts } from './alerts.ts';
import { checkAnnouncements } from './announcements.ts';
import { checkApi, type ProbedApi } from './api.ts';
import { checkBackup } from './backup.ts';
import { checkClock } from './clock.ts';
import { checkCommands } from './commands.ts';
import { checkDatabase, checkStoring, type Schemas } from './database.ts';
import type { Check } from './finding.ts';
import type { Installation } from './installation.ts';
import { checkJournal } from './journal.ts';
import { checkPagers } from './pagers.ts';
import { checkPages, checkRequestUrl } from './pages.ts';
import { checkEvents, checkScopes } from './permissions.ts';
import type { Sightings } from './sightings.ts';
import { readSlackView } from './slack-view.ts';
import { checkSync } from './sync.ts';
import { checkAppToken, checkBotToken, checkSigningSecret } from './tokens.ts';
import { checkWorkspaces } from './workspaces.ts';

/** What the doctor works with. */
export interface DoctorDeps {
  readonly installation: Installation;
  /** The slash commands of the manifest, with their slashes. */
  readonly commands: readonly string[];
  /** Undefined when the caller has no way to ask it. */
  readonly api: ProbedApi | undefined;
  /** Undefined when the database cannot be opened. */
  readonly stored: Stored | undefined;
  readonly sightings: Sightings;
  /** Checks that only this caller can make. */
  readonly others?: readonly Check[];
  readonly clock: () => Date;
  /** Milliseconds of a clock that never steps. */
  readonly steady: () => number;
  readonly log: Logger;
}

/** The database, and what Muster keeps there. */
interface Stored {
  readonly database: Database;
  readonly schemas: Schemas;
  readonly journal: { countByState(): Promise<readonly StateCount[]> };
}

/** Every check of an installation, in the order of the report. `typed`: as the doctor is asked. */
export function toChecks(deps: DoctorDeps, typed: boolean): readonly Check[] {
  const { installation, sightings, clock, steady, commands, api, stored, others = [] } = deps;
  const { commandRoot, mode } = installation;
  const facts = readSlackView(installation, clock);
  return [
    { name: 'bot token', run: async () => [checkBotToken(await facts)] },
    { name: 'workspaces', run: async () => checkWorkspaces(installation, await facts) },
    { name: 'app token', run: async () => [await checkAppToken(installation, await facts)] },
    { name: 'signing secret', run: async () => [await checkSigningSecret(installation, sightings)] },
    { name: 'request URL', run: async () => [await checkRequestUrl(installation, sightings, clock())] },
    { name: 'scopes', run: async () => checkScopes(await facts) },
    { name: 'events', run: async () => await checkEvents(await facts, sightings) },
    {
      name: 'commands',
      run: () => checkCommands({ names: commands, commandRoot, typed, now: clock() }, sightings),
    },
    { name: 'announcement channel', run: async () => [await checkAnnouncements(installation, await facts)] },
    { name: 'clock', run: async () => [checkClock(await facts, mode.kind)] },
    { name: 'pages', run: async () => [await checkPages(installation)] },
    ...(api ? [{ name: 'incident API', run: () => checkApi(installation, api, steady) }] : []),
    { name: 'changes made elsewhere', run: async () => [await checkSync(installation, sightings)] },
    { name: 'alerts', run: () => checkAlerts(installation, sightings) },
    { name: 'pagers', run: () => checkPagers(installation, sightings) },
    ...(stored ? storedChecks(stored, installation.databaseUrl, sightings, clock) : []),
    ...others,
  ];
}

function storedChecks(
  { database, schemas, journal }: Stored,
  databaseUrl: string,
  sightings: Sightings,
  clock: () => Date,
): readonly Check[] {
  return [
    { name: 'database', run: () => checkDatabase(database, databaseUrl, schemas) },
    { name: 'backup', run: async () => [await checkBackup(database, clock())] },
    { name: 'storing', run: async () => [await checkStoring(sightings, clock())] },
    { name: 'journal', run: async () => [await checkJournal(() => journal.countByState(), clock())] },
  ];
}
