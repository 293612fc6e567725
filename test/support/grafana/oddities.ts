/** How servers that keep to the documents differ from each other. All are off unless somebody turns them on. */
export interface Oddities {
  /** Times as the document's samples have them: `2022-02-11 00:50:20.574137`, with a space and no zone. */
  readonly spacedTimes: boolean;
  /** Every empty list and map of an answer is null, as Go writes those that were never made. */
  readonly nulls: boolean;
  /** `incidentMembership.assignments` has ten slots, and those that are free hold empty people. */
  readonly tenSlots: boolean;
  /** Objects have members that nobody has heard of, and incidents have no `heroImagePath`. */
  readonly unknownMembers: boolean;
  /** Roles are numbered across all organisations, from 9576. */
  readonly bigRoleIDs: boolean;
  /** A person who is given as `slack:U…` is answered as a user of the server's own, `grafana-incident:user-…`. */
  readonly ownUserIDs: boolean;
  /** There is a UsersService. */
  readonly usersService: boolean;
  /** The UsersService lists nobody, although the server knows people by their ids. */
  readonly listsNobody: boolean;
  /** `fieldValues` of AddActivity are dropped. */
  readonly dropsFieldValues: boolean;
  /** Each address of a note becomes an item `contextAttached` of its own. */
  readonly attachesAddresses: boolean;
  /** The account that declares an incident is made its observer. */
  readonly creatorObserves: boolean;
  /** Incidents begin with tasks of the system, which it ticks off itself. */
  readonly systemTasks: boolean;
  /** Below a sub-path, `url` and `meta.url` of dashboards begin with it. */
  readonly subPathInUrls: boolean;
  /** The token may not search for dashboards. */
  readonly searchForbidden: boolean;
  /** Severities are spelled as people see them: `Major`. */
  readonly displaySeverities: boolean;
  /** Cursors are UUIDs. */
  readonly uuidCursors: boolean;
  /** No page has more than a hundred items, whatever limit is asked for. */
  readonly hundredAPage: boolean;
  /** How an RPC is refused: a problem of RFC 7807, status 500 with `error` alone, or status 200 with `error`. */
  readonly refusals: 'problem' | 'status 500' | 'status 200';
}

/** A server without any oddity. */
export const plain: Oddities = {
  spacedTimes: false,
  nulls: false,
  tenSlots: false,
  unknownMembers: false,
  bigRoleIDs: false,
  ownUserIDs: false,
  usersService: false,
  listsNobody: false,
  dropsFieldValues: false,
  attachesAddresses: false,
  creatorObserves: false,
  systemTasks: false,
  subPathInUrls: false,
  searchForbidden: false,
  displaySeverities: false,
  uuidCursors: false,
  hundredAPage: false,
  refusals: 'problem',
};

/**
 * The generations of servers, as their live answers (newer) and their documents with the samples in them (older) show them, as far as stories
 * that were not written for them can tell: what changes the facts of a story is left to a life of its own.
 */
export const generations = {
  'newer Grafana': {
    ...plain,
    ...{ tenSlots: true, unknownMembers: true, bigRoleIDs: true, uuidCursors: true, hundredAPage: true },
  },
  'older Grafana': {
    ...plain,
    spacedTimes: true,
    nulls: true,
    ownUserIDs: true,
    usersService: true,
    refusals: 'status 500',
  },
} as const satisfies Record<string, Oddities>;

/** Members that hold a time. */
const isTime = (name: string) => /(?:Time|At)$|^incident(?:Start|End)$/.test(name);
/** An answer of an RPC as a server with these oddities writes it. Times come in RFC 3339. */
export function dress(answer: object, oddities: Oddities): object {
  const { spacedTimes, nulls, unknownMembers } = oddities;
  const write = (value: unknown, name: string): unknown => {
    if (typeof value === 'string') return spacedTimes && isTime(name) ? toSpaced(value) : value;
    if (typeof value !== 'object' || value === null) return value;
    if (nulls && Object.keys(value).length === 0) return null;
    if (Array.isArray(value)) return value.map(each => write(each, name));
    // What a client gave is given back as it is.
    if (name === 'fieldValues') return value;
    const { heroImagePath, ...members } = value as Record<string, unknown>;
    const known = unknownMembers || heroImagePath === undefined ? members : { heroImagePath, ...members };
    const written = Object.fromEntries(Object.entries(known).map(([each, inner]) => [each, write(inner, each)]));
    return unknownMembers ? { ...written, notHeardOf: { since: 'v1.99.0', of: [1, null] } } : written;
  };
  return write(answer, '') as object;
}

function toSpaced(time: string): string {
  const [, date, clock, fraction = ''] = /^(.{10})T(.{8})(?:\.(\d+))?Z$/.exec(time) ?? [];
  return date === undefined ? time : `${date} ${clock}${fraction === '' ? '' : `.${fraction.padEnd(6, '0')}`}`;
}
