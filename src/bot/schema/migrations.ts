import { createBackups } from '../../db/backups.ts';
import type { Migration } from '../../db/migrate.ts';
import { createAccounts } from './accounts.ts';
import { addAlertCounts, createAlerts } from './alerts.ts';
import { createBursts } from './bursts.ts';
import { createCalls } from './calls.ts';
import { addPostRefusal, addReadersChanges, createChannels } from './channels.ts';
import { addHasChanged, createDeliveries } from './deliveries.ts';
import { createDrafts } from './drafts.ts';
import { createDuties } from './duties.ts';
import { createGreetings } from './greetings.ts';
import { createIncidents } from './incidents.ts';
import { addKindIndex, addTeamToMessageKeys, createIntents, putTimeFirst } from './intents.ts';
import { createLines, widenLines } from './lines.ts';
import { createMessageNotes } from './message-notes.ts';
import { createNextSteps } from './next-steps.ts';
import { createOutages } from './outages.ts';
import { createPagesSent } from './pages-sent.ts';
import { addAdmins, createPersons } from './people.ts';
import { createProcesses } from './processes.ts';
import { addDueIndexes, addLinked, addShown, addSources, addWritten, countPrivateRooms, createRooms } from './rooms.ts';
import { createSightings } from './sightings.ts';
import { createSync, renameLook, renameTold } from './sync.ts';
import { createTasks } from './tasks.ts';
import { addSummaries, createUpdates } from './updates.ts';
import { createVisits } from './visits.ts';

/** Steps of the bot's schema, in order. */
export const botMigrations: readonly Migration[] = [
  {
    name: '001-init',
    up: async db => {
      await createDeliveries(db);
      await createIntents(db);
      await createRooms(db);
      await createIncidents(db);
      await createDrafts(db);
    },
  },
  { name: '002-shown', up: addShown },
  { name: '003-sightings', up: createSightings },
  { name: '004-people', up: createPersons },
  { name: '005-team-in-message-keys', up: addTeamToMessageKeys },
  { name: '006-accounts', up: createAccounts },
  { name: '007-greetings', up: createGreetings },
  { name: '008-task-numbers', up: createTasks },
  { name: '009-channels', up: createChannels },
  { name: '010-admins', up: addAdmins },
  { name: '011-private-rooms', up: countPrivateRooms },
  { name: '012-readers-changes', up: addReadersChanges },
  { name: '013-sync', up: createSync },
  { name: '014-intent-kinds', up: addKindIndex },
  { name: '015-linked-rooms', up: addLinked },
  { name: '016-lines', up: createLines },
  { name: '017-sources', up: addSources },
  { name: '018-updates', up: createUpdates },
  { name: '019-outages', up: createOutages },
  { name: '020-next-steps', up: createNextSteps },
  { name: '021-written', up: addWritten },
  { name: '022-outbox', up: widenLines },
  { name: '023-poll', up: renameLook },
  { name: '024-message-notes', up: createMessageNotes },
  { name: '025-known-states', up: renameTold },
  { name: '026-post-refusals', up: addPostRefusal },
  { name: '027-bursts', up: createBursts },
  { name: '028-backups', up: createBackups },
  { name: '029-time-first', up: putTimeFirst },
  { name: '030-summaries', up: addSummaries },
  { name: '031-alerts', up: createAlerts },
  { name: '032-calls', up: createCalls },
  { name: '033-duties', up: createDuties },
  { name: '034-pages-sent', up: createPagesSent },
  { name: '035-visits', up: createVisits },
  { name: '036-outdated', up: addDueIndexes },
  { name: '037-processes', up: createProcesses },
  { name: '038-alert-counts', up: addAlertCounts },
  { name: '039-changes-of-deliveries', up: addHasChanged },
];
