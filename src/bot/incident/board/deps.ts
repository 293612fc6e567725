import type { ActionsBlockElement, KnownBlock } from '@slack/types';
import type { Logger } from 'pino';
import type { Api } from '../../../contract/contract.ts';
import type { Incident } from '../../../contract/incidents.ts';
import type { Known } from '../../../db/known.ts';
import type { People } from '../../people/directory.ts';
import type { Visibility } from '../../people/visibility.ts';
import type { AlertOfferTable } from '../../schema/alerts.ts';
import type { LineTable } from '../../schema/lines.ts';
import type { Slack } from '../../slack/clients.ts';
import type { Refusals } from '../../slack/refusals.ts';
import type { KnownStates } from '../lines/known-state.ts';
import type { Outages } from '../lines/outage.ts';
import type { RoundLines } from '../lines/store.ts';
import type { Alerts } from '../state/alert-store.ts';
import type { Bursts } from '../state/burst-store.ts';
import type { Channels } from '../state/channels.ts';
import type { Rooms } from '../state/room-store.ts';
import type { Settings } from '../state/settings.ts';
import type { Snapshots } from '../state/snapshots.ts';
import type { Updates } from '../state/update-store.ts';
import type { NextStepsStore } from './next-steps/store.ts';
import type { Over } from './next-steps/words.ts';
import type { OverviewOf } from './page-links.ts';

/** The buttons that features put below the messages of the board and of the lines. */
export interface BoardButtons {
  /** One of the card's buttons hands each person a link of their own to the page, so the card has no plain link. */
  readonly opensByLink: boolean;
  /** The row of buttons under an incident's card; undefined for none. `isLed`: a person in reach leads it. */
  rowOf(incident: Incident, isLed: boolean): Promise<KnownBlock | undefined>;
  /** The row that invites people into the private room of an incident. */
  inviteRowOf(incidentID: string): KnownBlock;
  /** The buttons under the card of an incident that is not registered yet. */
  declaredButtonsOf(incidentID: string): readonly ActionsBlockElement[];
  /** The buttons under the next steps of an incident that is over. */
  nextRowOf(over: Over): readonly ActionsBlockElement[];
  /** The buttons under the announcement of an incident that has no room. */
  offersOf(incidentID: string): readonly ActionsBlockElement[];
  /** The buttons under the message of an offer, by its state; `after` is the incident before that may be reopened, `""` for none. */
  alertButtonsOf(offer: AlertOfferTable): readonly ActionsBlockElement[];
  /** The buttons that take a reader into the incident's room. */
  joinOf(incidentID: string): readonly ActionsBlockElement[];
  /** The buttons of the act that a line offers. */
  lineButtonsOf(line: LineTable): Promise<readonly ActionsBlockElement[]>;
}

/** The readers of the bot's facts about incidents and channels. */
interface Readers {
  readonly rooms: Rooms;
  readonly channels: Channels;
  readonly visibility: Visibility;
  readonly updates: Updates;
  readonly alerts: Alerts;
}

/** The readers for one act, or for one round of the board: they read each thing once. */
export interface ReadOnce extends Readers {
  readonly known: Known;
}

/** The parts of Muster that the board uses. */
export interface BoardParts extends BoardButtons, Readers {
  readonly slack: Slack;
  readonly api: Api;
  readonly people: People;
  readonly snapshots: Snapshots;
  readonly bursts: Bursts;
  readonly nextSteps: NextStepsStore;
  readonly knownStates: KnownStates;
  readonly outages: Outages;
  readonly overviewOf: OverviewOf;
  readonly settings: Settings;
  readonly clock: () => Date;
  readonly log: Logger;
  /** The name of the role that leads an incident; `""` for none. */
  commanderRole(): Promise<string>;
  isRoomBeingMade(incidentID: string): Promise<boolean>;
  /** Makes the incident private in the API if its room is, and brings its duties up to date. Throws the RpcError. */
  follow(incident: Incident, read: ReadOnce): Promise<void>;
}

/** The parts that one round of the board uses: it reads each thing once, and says the lines of one incident. */
export interface RoundDeps extends BoardParts, ReadOnce {
  readonly lines: RoundLines;
  readonly refusals: Refusals;
  /** Asks for a round of another incident, or of a message about several. */
  refresh(id: string, isUrgent?: boolean): void;
}
