import type { UserPreview } from '../../contract/fields.ts';
import type { Incident } from '../../contract/incidents.ts';
import type { IncidentRow } from './tables.ts';

/** What a call has read: it reads no person and no incident twice. */
export interface Known {
  /** By user id. */
  readonly people: Map<string, UserPreview>;
  /** By number. A change of an incident puts its new row here. */
  readonly incidents: Map<
    number,
    {
      readonly row: IncidentRow;
      /** The object of that row, once something has asked for it. */
      whole?: Promise<Incident>;
    }
  >;
}

/** What a call knows when it begins. */
export function nothingKnown(): Known {
  return { people: new Map(), incidents: new Map() };
}
