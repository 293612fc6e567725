import type { Logger } from 'pino';
import type { Api } from '../contract/contract.ts';
import type { Cards } from './cards.ts';
import type { Verb } from './feature.ts';
import type { HouseRules } from './house.ts';
import type { Journal } from './journal/journal.ts';
import type { Drafts } from './memory/drafts.ts';
import type { IncidentMemory } from './memory/incidents.ts';
import type { Rooms } from './memory/rooms.ts';
import type { People } from './people.ts';
import type { Slack } from './slack.ts';

/** Everything a feature may use. Reads go to `api`; writes go through the journal, by way of {@link Turn}. */
export interface Desk {
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
