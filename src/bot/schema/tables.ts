import { backupTable } from '../../db/backups.ts';
import { processes } from '../../db/heart.ts';
import type { TablesOf } from '../../db/tables.ts';
import { accounts } from './accounts.ts';
import { alertOffers, alerts } from './alerts.ts';
import { foundIncidents } from './bursts.ts';
import { calledPeople, calls } from './calls.ts';
import { channelMembers, channels } from './channels.ts';
import { deliveries } from './deliveries.ts';
import { drafts } from './drafts.ts';
import { duties } from './duties.ts';
import { greetings } from './greetings.ts';
import { snapshots } from './incidents.ts';
import { intents } from './intents.ts';
import { lines } from './lines.ts';
import { messageNotes } from './message-notes.ts';
import { nextSteps } from './next-steps.ts';
import { outages } from './outages.ts';
import { pages } from './pages-sent.ts';
import { people } from './people.ts';
import { rooms } from './rooms.ts';
import { sightings } from './sightings.ts';
import { knownStates, polls } from './sync.ts';
import { taskNumbers } from './tasks.ts';
import { updates } from './updates.ts';
import { visits } from './visits.ts';

/** The bot's own tables. A table that refers to another one stands behind it. */
export const botTables = [
  accounts,
  alerts,
  alertOffers,
  foundIncidents,
  calls,
  calledPeople,
  channels,
  channelMembers,
  deliveries,
  drafts,
  duties,
  greetings,
  snapshots,
  intents,
  lines,
  messageNotes,
  nextSteps,
  outages,
  pages,
  people,
  processes,
  rooms,
  sightings,
  knownStates,
  polls,
  taskNumbers,
  updates,
  visits,
  backupTable,
] as const;

/** {@link botTables}, as Kysely sees them. */
export type BotTables = TablesOf<typeof botTables>;
