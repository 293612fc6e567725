import type { Doctor } from '../../doctor/doctor.ts';
import type { IncidentDeps, IntentKind } from '../../incident/acts/intent-kind.ts';
import type { Drafts } from './drafts.ts';
import type { Greetings } from './greetings.ts';
import type { ReplaceableMessages } from './replaceable-messages.ts';

/** Everything a feature may use. Reads go to `api`; writes go through the journal, by way of `Context`. */
export interface Deps extends IncidentDeps {
  readonly drafts: Drafts;
  readonly doctor: Doctor;
  readonly greetings: Greetings;
  /** Messages that a form may replace. */
  readonly places: ReplaceableMessages;
  /** The address that opens a path of the pages for one person, by Slack's id, once. Absent where pages need no such link. */
  readonly pageLink: ((userId: string, path: string) => Promise<string>) | undefined;
  /** The kind of intent of that name; undefined when this version has none. */
  kindOf(name: string): IntentKind | undefined;
}
