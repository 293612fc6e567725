import type { Logger } from 'pino';
import type { Database } from '../../db/database.ts';
import type { StateCount } from '../journal/rows.ts';
import { withTimeout } from '../text/timeout.ts';
import { checkAnnouncements } from './announcements.ts';
import { checkApi, type ProbedApi } from './api.ts';
import { checkClock } from './clock.ts';
import { checkCommands } from './commands.ts';
import { checkDatabase, type Schemas } from './database.ts';
import { type Check, type Finding, unknown } from './finding.ts';
import type { Installation } from './installation.ts';
import { checkJournal } from './journal.ts';
import { checkPages, checkRequestUrl } from './pages.ts';
import { checkEvents, checkScopes } from './permissions.ts';
import type { Sightings } from './sightings.ts';
import { readSlackFacts } from './slack-facts.ts';
import { checkAppToken, checkBotToken, checkSigningSecret } from './tokens.ts';

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

/** Looks at the whole installation. */
export interface Doctor {
  /**
   * Every line of the report, what fails first. `typed`: a person says that they typed each command that had not arrived. Never
   * throws. One examination runs at a time; those who ask meanwhile share it.
   */
  examine(how: { readonly typed: boolean }): Promise<readonly Finding[]>;
}

/** How long one check may take, in milliseconds. */
const patience = 12_000;

/** Opens the doctor. */
export function openDoctor(deps: DoctorDeps): Doctor {
  const running = new Map<boolean, Promise<readonly Finding[]>>();
  return {
    examine: ({ typed }) => {
      const shared = running.get(typed) ?? examine(deps, typed).finally(() => running.delete(typed));
      running.set(typed, shared);
      return shared;
    },
  };
}

async function examine(deps: DoctorDeps, typed: boolean): Promise<readonly Finding[]> {
  return sort((await Promise.all(toChecks(deps, typed).map(check => runCheck(check, deps.log)))).flat());
}

function toChecks(deps: DoctorDeps, typed: boolean): readonly Check[] {
  const { installation, sightings, clock, steady, commands, api, stored, others = [] } = deps;
  const { commandRoot, mode } = installation;
  const facts = readSlackFacts(installation, clock);
  return [
    { name: 'bot token', run: async () => [checkBotToken(await facts)] },
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
    ...(stored ? storedChecks(stored, installation.databaseUrl, clock) : []),
    ...others,
  ];
}

function storedChecks(
  { database, schemas, journal }: Stored,
  databaseUrl: string,
  clock: () => Date,
): readonly Check[] {
  return [
    { name: 'database', run: () => checkDatabase(database, databaseUrl, schemas) },
    { name: 'journal', run: async () => [await checkJournal(() => journal.countByState(), clock())] },
  ];
}

/** Runs one check. A check that throws or takes too long is a line of the report too. */
async function runCheck({ name, run }: Check, log: Logger): Promise<readonly Finding[]> {
  try {
    return await withTimeout(patience, run());
  } catch (err) {
    log.warn({ err, check: name }, 'doctor: a check could not be made');
    const mend = 'Mend what fails above, then run the doctor again. The log has the reason.';
    return [unknown(name, 'It could not be looked at.', 'perhaps nothing', mend)];
  }
}

const order = ['failing', 'unknown', 'ok'];

function sort(findings: readonly Finding[]): readonly Finding[] {
  return findings.toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state));
}
