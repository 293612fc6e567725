import type { Api } from '../../../contract/contract.ts';
import { RpcError } from '../../../contract/errors.ts';
import type { openDoctor } from '../../doctor/doctor.ts';
import type { IncidentDeps, IntentKind } from '../../incident/acts/intent-kind.ts';
import { wrapCalls } from '../../incident/api/calls.ts';
import { type Door, NotVisible, type Subject, type Viewer, type Visibility } from '../../people/visibility.ts';
import type { Drafts } from './drafts.ts';
import type { Greetings } from './greetings.ts';
import type { ReplaceableMessages } from './replaceable-messages.ts';

/** Everything a feature may use. Reads go to `api`; writes go through the journal, by way of `Context`. */
export interface Deps extends IncidentDeps {
  readonly drafts: Drafts;
  readonly doctor: ReturnType<typeof openDoctor>;
  readonly greetings: Greetings;
  /** Messages that a form may replace. */
  readonly replaceable: ReplaceableMessages;
  /** The kind of intent of that name; undefined when this version has none. */
  kindOf(name: string): IntentKind | undefined;
}

/** One person's sight during one act. */
export class Sight {
  readonly #visibility: Visibility;
  readonly #viewer: Viewer;

  constructor(visibility: Visibility, viewer: Viewer) {
    this.#visibility = visibility;
    this.#viewer = viewer;
  }

  sees(door: Door, subject: Subject): Promise<boolean> {
    return this.#visibility.sees(door, this.#viewer, subject);
  }

  /** Throws {@link NotVisible} when the person does not see the incident. */
  async mustSee(door: Door, subject: Subject): Promise<void> {
    if (!(await this.sees(door, subject))) throw new NotVisible(subject.incidentID);
  }

  /** Those of them that the person sees, in their order. */
  async visible<T>(door: Door, all: readonly T[], toSubject: (each: T) => Subject): Promise<T[]> {
    const seen = await Promise.all(all.map(each => this.sees(door, toSubject(each))));
    return all.filter((_, index) => seen[index]);
  }
}

/**
 * The deps for one person's act: what they read of incidents is what this person sees. Reads by id throw {@link NotVisible} for
 * incidents that they do not see, and lists leave those out.
 */
export function guardDeps(deps: Deps, sight: Sight): Deps {
  const { rooms, snapshots, journal, lines } = deps;
  return {
    ...deps,
    api: guardApi(deps.api, sight),
    rooms: {
      ...rooms,
      allOfChannel: async (teamId, channelId, then) => {
        const all = await rooms.allOfChannel(teamId, channelId, then);
        const seen = await Promise.all(all.map(({ incidentID }) => isSeen(sight, 'channel', incidentID)));
        return all.filter((_, index) => seen[index]);
      },
    },
    snapshots: {
      record: incident => snapshots.record(incident),
      recordSummaries: previews => snapshots.recordSummaries(previews),
      delete: incidentID => snapshots.delete(incidentID),
      typeOf: () => undefined,
      changed: (...args) => snapshots.changed(...args),
      takeAnswer: () => undefined,
      get: async incidentID => {
        const snapshot = await snapshots.get(incidentID);
        return snapshot && (await sight.sees('snapshot', snapshot.summary)) ? snapshot : undefined;
      },
      latest: async most => {
        const newest = await snapshots.latest(most + maxHidden);
        return (await sight.visible('latest snapshots', newest, each => each.summary)).slice(0, most);
      },
      purge: now => snapshots.purge(now),
      idle: () => snapshots.idle(),
    },
    lines: {
      add: added => lines.add(added),
      reword: (...args) => lines.reword(...args),
      newest: async (incidentID, most) => {
        await sight.mustSee('queued changes', { incidentID });
        return lines.newest(incidentID, most);
      },
    },
    journal: {
      ...journal,
      find: async (id, owner) => {
        const intent = await journal.find(id, owner);
        if (intent && intent.subject !== '') await sight.mustSee('own change', { incidentID: intent.subject });
        return intent;
      },
      unfinished: async incidentID => {
        try {
          await sight.mustSee('queued changes', { incidentID });
        } catch (error) {
          // While it is not known whether they see it, they see none of it.
          if (error instanceof RpcError) return [];
          throw error;
        }
        return journal.unfinished(incidentID);
      },
      unregistered: async () => {
        const all = await journal.unregistered();
        const seen = await Promise.all(all.map(({ subject }) => isListed(sight, subject)));
        return all.filter((_, index) => seen[index]);
      },
    },
  };
}

/** Whether there is such an incident for the person. Throws the RpcError when that cannot be told. */
async function isSeen(sight: Sight, door: Door, incidentID: string): Promise<boolean> {
  try {
    return await sight.sees(door, { incidentID });
  } catch (error) {
    if (error instanceof NotVisible) return false;
    throw error;
  }
}

/** Whether the person sees an incident that the API does not know. While that is not known, they do not. */
async function isListed(sight: Sight, incidentID: string): Promise<boolean> {
  try {
    return await isSeen(sight, 'queued changes', incidentID);
  } catch (error) {
    if (error instanceof RpcError) return false;
    throw error;
  }
}

/** Hidden incidents among the newest that cost a list of snapshots no line. */
const maxHidden = 200;
/** Pages that are read to fill one, when some of its incidents are hidden. */
const maxPages = 30;

function guardApi(api: Api, sight: Sight): Api {
  const all = wrapCalls(api, async ({ input, run }) => {
    const incidentID = incidentIn(input);
    if (incidentID !== undefined) await sight.mustSee('read', { incidentID });
    return run();
  });
  const incidents = api.IncidentsService;
  return {
    ...all,
    // All people see all roles, which are cached by this object.
    RolesService: api.RolesService,
    IncidentsService: {
      ...all.IncidentsService,
      GetIncident: async (input, options) => {
        const answer = await incidents.GetIncident(input, options).catch(error => {
          throw error instanceof RpcError && error.code === 'not_found' ? new NotVisible(input.incidentID) : error;
        });
        await sight.mustSee('read', answer.incident);
        return answer;
      },
      QueryIncidentPreviews: async (input, options) => {
        const limit = input.query?.limit ?? 0;
        let answer = await incidents.QueryIncidentPreviews(input, options);
        const seen = await sight.visible('list', answer.incidentPreviews, each => each);
        for (let page = 1; answer.cursor.hasMore && seen.length < limit; page += 1) {
          // A page that offers more and shows nothing would tell that there is something hidden.
          if (page === maxPages)
            return { ...answer, incidentPreviews: seen, cursor: { nextValue: '', hasMore: false } };
          const query = { ...input.query, limit: limit - seen.length };
          answer = await incidents.QueryIncidentPreviews({ ...input, query, cursor: answer.cursor }, options);
          seen.push(...(await sight.visible('list', answer.incidentPreviews, each => each)));
        }
        return { ...answer, incidentPreviews: seen };
      },
      QueryIncidents: async (input, options) => {
        const answer = await incidents.QueryIncidents(input, options);
        return { ...answer, incidents: await sight.visible('list', answer.incidents, each => each) };
      },
    },
  };
}

/** The incident that a call, a form or an intent is about, by its `incidentID`; undefined for none. */
export function incidentIn(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null) return undefined;
  const id: unknown = Reflect.get(input, 'incidentID');
  return typeof id === 'string' && id !== '' ? id : incidentIn(Reflect.get(input, 'query'));
}
