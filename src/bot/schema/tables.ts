import { backupTable } from '../../db/backups.ts';
import { processes } from '../../db/heart.ts';
import type { TablesOf } from '../../db/tables.ts';
import { alertOffers, alerts } from './alerts.ts';
import { calledPeople, calls } from './calls.ts';
import { deliveries, drafts } from './deliveries.ts';
import { duties } from './duties.ts';
import { knownStates, polls, snapshots, taskNumbers, updates, visits } from './incidents.ts';
import { intents } from './intents.ts';
import { lines } from './lines.ts';
import { messageNotes } from './message-notes.ts';
import { pages } from './pages-sent.ts';
import { accounts, greetings, people } from './people.ts';
import { channelMembers, channels, foundIncidents, nextSteps, outages, rooms } from './rooms.ts';
import { sightings } from './sightings.ts';

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
