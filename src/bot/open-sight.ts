import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import type { Deadlines } from '../deadlines.ts';
import type { Deps } from './dispatch/feature/deps.ts';
import { createPageReaders, type PageReaders } from './incident/acts/page-readers.ts';
import { createPrivacyReader } from './incident/acts/privacy.ts';
import { Guests } from './people/guests.ts';
import type { PersonStore } from './people/person-store.ts';
import { Visibility } from './people/visibility.ts';

/** The one rule for sight in Slack, and what people see of pages by it. */
interface OpenSight {
  readonly guests: Guests;
  readonly visibility: Visibility;
  readonly readers: PageReaders;
}

/** Opens sight. `deps` are there once the bot has started. */
export function openSight(
  parts: Pick<Deps, 'slack' | 'people' | 'channels' | 'rooms' | 'settings'> & {
    readonly store: PersonStore;
    readonly database: Database;
    readonly deadlines: Deadlines;
    readonly clock: () => Date;
    readonly log: Logger;
  },
  deps: () => Deps,
): OpenSight {
  const { settings: rules, log } = parts;
  const guests = new Guests(parts);
  const visibility = new Visibility({ facts: createPrivacyReader(deps, guests), rules, log });
  const { teamId, url: workspaceUrl } = parts.slack.identity;
  const readers = createPageReaders({ ...parts, visibility, rules, teamId, workspaceUrl });
  return { guests, visibility, readers };
}
