import type { openDoctor } from '../../doctor/doctor.ts';
import type { IncidentDeps, IntentKind } from '../../incident/acts/intent-kind.ts';
import type { Drafts } from './drafts.ts';
import type { Greetings } from './greetings.ts';
import type { ReplaceableMessages } from './replaceable-messages.ts';

/** Everything a feature may use. Reads go to `api`; writes go through the journal, by way of `Context`. */
export interface Deps extends IncidentDeps {
  readonly drafts: Drafts;
  readonly doctor: ReturnType<typeof openDoctor>;
  readonly greetings: Greetings;
  /** Messages that a form may replace. */
  readonly places: ReplaceableMessages;
  /** The kind of intent of that name; undefined when this version has none. */
  kindOf(name: string): IntentKind | undefined;
}
