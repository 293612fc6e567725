import type { Logger } from 'pino';
import type { Api } from '../../contract/contract.ts';
import type { Cards } from '../incident/cards.ts';
import type { HouseRules } from '../incident/house-rules.ts';
import type { Rooms } from '../incident/room-store.ts';
import type { IncidentMemory } from '../incident/snapshots.ts';
import type { Journal } from '../journal/journal.ts';
import type { People } from '../people/directory.ts';
import type { Slack } from '../slack/clients.ts';
import type { Drafts } from './drafts.ts';
import type { Verb } from './feature.ts';

/** Everything a feature may use. Reads go to `api`; writes go through the journal, by way of {@link Context}. */
export interface Deps {
  readonly slack: Slack;
  readonly api: Api;
  readonly journal: Journal;
  readonly rooms: Rooms;
  /** Incidents as the API last showed them, for when it cannot be reached. */
  readonly remembered: IncidentMemory;
  readonly drafts: Drafts;
  readonly people: People;
  readonly cards: Cards;
  readonly house: HouseRules;
  readonly verbs: readonly Verb[];
  readonly log: Logger;
}
