import type { KnownBlock } from '@slack/types';
import type { RpcError } from '../../../contract/errors.ts';
import type { Incident, IncidentPreview } from '../../../contract/incidents.ts';
import type { DeclaredIncident } from '../../incident/state/declared-incident.ts';
import type { Snapshot } from '../../incident/state/snapshots.ts';

/** The places of the home tab, in their order. */
export const homePlaces = ['start', 'incidents', 'tasks', 'roles'] as const;

/** A part of the home tab. */
export interface HomePart {
  readonly place: (typeof homePlaces)[number];
  readonly blocks: readonly KnownBlock[];
}

/** The facts of one person's home tab: the active incidents that they see. */
export interface HomeInput {
  /** The active incidents, newest first: as the API lists them, or as it did last while it is away. */
  readonly active:
    | { readonly previews: readonly IncidentPreview[] }
    | { readonly remembered: readonly Snapshot[]; readonly error: RpcError };
  /** There are more active ones. */
  readonly hasMore: boolean;
  /** Declared, and not known to the API yet. */
  readonly unregistered: readonly DeclaredIncident[];
  /** People and tasks of the active incidents, as far as they are known. */
  readonly whole: readonly Incident[];
  /** When the oldest of these facts was true; undefined when all are true now. */
  readonly asOf: Date | undefined;
  /** Whether one of the API's users is the person. */
  isOwn(userID: string): boolean;
}

/** The facts while nothing can be read. */
export const nothingKnown: HomeInput = {
  ...{ active: { previews: [] }, hasMore: false, unregistered: [], whole: [], asOf: undefined },
  isOwn: () => false,
};
