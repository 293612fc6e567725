import type { Logger } from 'pino';
import { onTestFinished } from 'vitest';
import { type FakeSlack, type FakeSlackOptions, openFakeSlack } from '../../playground/fake-slack/fake-slack.ts';
import type { DoctorDeps } from '../../src/bot/doctor/checks.ts';
import { openDoctor } from '../../src/bot/doctor/doctor.ts';
import type { Finding } from '../../src/bot/doctor/finding.ts';
import type { Installation } from '../../src/bot/doctor/installation.ts';
import { openSightings, type Sightings } from '../../src/bot/doctor/sightings.ts';
import { features } from '../../src/bot/features.ts';
import { openJournalAdmin } from '../../src/bot/journal/admin.ts';
import { commandsOf } from '../../src/bot/manifest.ts';
import { botMigrations } from '../../src/bot/schema/migrations.ts';
import type { Database } from '../../src/db/database.ts';
import { openLog } from '../../src/operations/log.ts';
import { patient, patientSlack } from './deadlines.ts';
import { openBotDatabase } from './fresh-database.ts';
import { grants } from './grants.ts';

/** An installation that is well, as far as the doctor can see. */
export interface Patient {
  readonly slack: FakeSlack;
  readonly database: Database;
  readonly sightings: Sightings;
  readonly installation: Installation;
  /** A doctor for it; `different` replaces what it works with. */
  doctor(different?: Partial<DoctorDeps>): ReturnType<typeof openDoctor>;
  /** The report, by subject. */
  examine(different?: Partial<DoctorDeps>): Promise<ReadonlyMap<string, Finding>>;
}

const silent: Logger = openLog('silent');

/** Opens an installation in Socket Mode on the embedded service; everything is closed when the test ends. */
export async function openPatient(
  slackOptions: FakeSlackOptions = {},
  settings: (slack: FakeSlack) => Partial<Installation> = () => ({}),
): Promise<Patient> {
  const slack = await openFakeSlack({ ...grants, deadlines: patientSlack, ...slackOptions });
  onTestFinished(() => slack[Symbol.asyncDispose]());
  const clock = () => new Date();
  const database = await openBotDatabase(clock());
  const sightings = openSightings({ database, clock, log: silent });
  const installation: Installation = {
    ...{ apiKind: 'embedded', pages: 'off', publicUrl: '', databaseUrl: 'sqlite::memory:' },
    ...{ takesWebhooks: false, alertSources: [], pagers: [] },
    mode: { kind: 'socket', appToken: slack.appToken },
    ...{
      botToken: slack.botToken,
      slackApiUrl: slack.apiUrl,
      workspace: '',
      commandRoot: 'muster',
      announceChannel: '',
      deadlines: patient(),
    },
    ...settings(slack),
  };
  const doctor = (different: Partial<DoctorDeps> = {}) =>
    openDoctor({
      ...{ installation, clock, sightings, log: silent, monotonicNow: () => 0 },
      commands: commandsOf(features, installation.commandRoot),
      api: undefined,
      stored: { database, schemas: { bot: botMigrations }, journal: openJournalAdmin(database, clock) },
      ...different,
    });
  const examine = async (different?: Partial<DoctorDeps>) =>
    new Map((await doctor(different).examine({ typed: false })).map(each => [each.subject, each]));
  return { slack, database, sightings, installation, doctor, examine };
}
