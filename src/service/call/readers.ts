import type { Expression } from 'kysely';
import { RpcError } from '../../contract/errors.ts';
import type { Badge } from '../door/door.ts';

/**
 * What decides which incidents a person of Slack sees. The lists are queries for ids of incidents as text, in the column
 * `incident_id`, in the database of the service.
 */
export interface Sight {
  /** They see what is not private: full members do, and guests where the team lets them. */
  readonly seesPublic: boolean;
  /** Their ids in the API, by which they declare incidents and hold roles. */
  readonly userIDs: readonly string[];
  /** Incidents in whose rooms they are. */
  readonly joined: Expression<string>;
  /** Incidents that have a room. */
  readonly roomed: Expression<string>;
  /** Incidents that are private because their room is, or may be. */
  readonly closed: Expression<string>;
  /** Incidents that they declared in Slack. */
  readonly declared: Expression<string>;
  /** Changes whenever they join or leave a room. */
  readonly mark: string;
}

/** A person of Slack who may read pages. */
interface Reader {
  readonly name: string;
  /** They read dashboards too. */
  readonly seesDashboards: boolean;
  /** Private rooms of theirs about which Slack did not answer in time: their incidents are left out. */
  readonly leftOut: number;
  readonly sight: Sight;
}

/** A reader, and the cookie by which they are known. */
export interface AdmittedReader extends Reader {
  readonly badge: Badge;
}

/** The people of Slack, as the process with the bot knows them. What Slack must tell and does not is `away`: it is not shown then. */
export interface Readers {
  /** The person of that Slack id as they are now; undefined for a person who may read nothing. */
  find(userId: string): Promise<Reader | 'away' | undefined>;
  /** Whether a person sees an incident now that they saw by what is stored. */
  confirms(
    userId: string,
    incident: { readonly incidentID: string; readonly isPrivate: boolean },
  ): Promise<boolean | 'away'>;
  /** Looks behind the answer who is in the room of an incident that a person asked for and does not see. Never throws. */
  lookAgain(userId: string, incidentID: string): void;
  /** The address of the channel in Slack in which people handle an incident; `""` where there is none. */
  channelOf(incidentID: string): Promise<string>;
}

/** The `reason` of a 503 for a person with a valid cookie, while Slack does not answer. */
export const awayReason = 'pages.slack-away';

/** It is not known what the person may see, so they see nothing. */
export function slackAway(): RpcError {
  const message = 'Slack does not answer, so Muster cannot tell what you may see';
  return new RpcError('unavailable', message, { reason: awayReason });
}

/** The `reason` of a 401 for a person without a valid cookie: the page for them says how to get in. */
export const doorReason = 'pages.door';

/** The reader is not known. */
export function atTheDoor(): RpcError {
  return new RpcError('unauthenticated', 'This page is for people of the team: type /muster web in Slack', {
    reason: doorReason,
  });
}
