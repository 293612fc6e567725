/** How much a database holds. */
export interface Size {
  readonly incidents: number;
  /** Timeline items of all incidents together. */
  readonly items: number;
}

/** Timeline items of the one incident that is far longer than the others, in every database. */
export const longTimeline = 10_000;
/** A label of one incident in ten. */
export const commonLabel = 'service-3';
/** A label of a dozen incidents, however many there are. */
export const rareLabel = 'ledger migration';

const people = 200;
const itemsEach = 10;
/** 2024-01-01 in microseconds; incidents follow each other by a quarter of an hour. */
const epoch = '1704067200000000';
const pace = 'cast(900000000 as bigint)';

/** The number of the incident with the long timeline. */
export function longIncident({ incidents }: Size): number {
  return incidents / 2;
}

/**
 * Statements, for SQLite and Postgres alike, that fill the service's empty tables: four severities, two labels, two people and
 * two tasks to an incident, ten items to a timeline, people and labels in common. All of it follows from the numbers.
 */
export function toFill(size: Size): string[] {
  const { incidents, items } = size;
  const long = longIncident(size);
  const shortItems = items - longTimeline;
  const person = (number: string) => `'slack:T1/U' || (${number} % ${people})`;
  const time = (number: string) => `${epoch} + ${number} * ${pace}`;
  const item = (from: number, to: number, incident: string, at: string) => `
    insert into activity (id, seq, incident_id, kind, user_id, subject_user_id, created_at, event_at, body, url,
      context_folded, tags, immutable, field_values)
    ${series(from, to)}
    select 'activity-item-' || n, n, ${incident}, case n % 10 when 0 then 'incidentSeverityChanged' else 'userNote' end,
      ${person('n')}, '', ${at}, ${at}, 'Errors are at ' || n || ' per minute; the release before does not have them', '',
      '', case n % 40 when 0 then '["important"]' else '[]' end, case n % 10 when 0 then 1 else 0 end, '{}' from numbers`;
  return [
    `insert into person (user_id, name, photo_url, email, email_folded, slack_user_id, slack_team_id, modified_at)
    ${series(0, people - 1)}
    select ${person('n')}, 'Person ' || n, 'https://example.com/' || n || '.png', 'p' || n || '@example.com',
      'p' || n || '@example.com', 'U' || n, 'T1', ${epoch} from numbers`,
    `insert into incident (id, room_prefix, title, title_folded, slug, severity, severity_level, status, is_drill,
      created_at, modified_at, closed_at, started_at, ended_at, created_by, version)
    ${series(1, incidents)}
    select n, 'inc', 'Checkout answers with errors in cell ' || (n % 997), 'checkout answers with errors in cell ' || (n % 997),
      'checkout-answers-with-errors-in-cell', case n % 4 when 0 then 'critical' when 1 then 'major' when 2 then 'minor' else
      'pending' end, case n % 4 when 3 then -1 else n % 4 + 1 end, case n % 25 when 0 then 'active' else 'resolved' end,
      case n % 30 when 0 then 1 else 0 end, ${time('n')}, ${time('n')} + 60000000, case n % 25 when 0 then null else
      ${time('n')} + 3600000000 end, ${time('n')}, case n % 25 when 0 then null else ${time('n')} + 3600000000 end,
      ${person('n')}, 12 from numbers`,
    ...[`'service-' || (n % 10)`, `'team-' || (n % 40)`].map(
      (label, position) => `insert into incident_label (incident_id, key, key_folded, label, label_folded, position)
      ${series(1, incidents)} select n, 'tags', 'tags', ${label}, ${label}, n * 3 + ${position} from numbers`,
    ),
    `insert into incident_label (incident_id, key, key_folded, label, label_folded, position)
    ${series(1, 12)}
    select n * ${Math.floor(incidents / 13)}, 'tags', 'tags', '${rareLabel}', '${rareLabel}', n from numbers`,
    `insert into org_label (key, label, description, color_hex)
    select distinct key, label, 'All of ' || label, '#ff7f50' from incident_label`,
    ...[0, 1].map(
      position => `insert into assignment (incident_id, user_id, role_id, position)
      ${series(1, incidents)} select n, ${person(`(n + ${position})`)}, ${position + 1}, n * 2 + ${position}
      from numbers`,
    ),
    ...[0, 1].map(
      position => `insert into task (incident_id, id, position, text, status, author_user_id, assigned_user_id, created_at,
        modified_at, immutable)
      ${series(1, incidents)} select n, 'task-' || n || '-${position}', n * 2 + ${position}, 'Tell support',
        case n % 3 when 0 then 'todo' else 'done' end, ${person('n')}, '', ${time('n')}, ${time('n')}, 0 from numbers`,
    ),
    item(1, shortItems, `1 + (n - 1) / ${itemsEach}`, `${time(`((n - 1) / ${itemsEach})`)} + n * 1000000`),
    item(shortItems + 1, items, String(long), `${time(String(long))} + (n % ${longTimeline}) * 1000000`),
    `update counter set value = ${incidents} where name = 'incident'`,
    `update counter set value = ${items} where name = 'activity'`,
    'analyze',
  ];
}

/** The table `numbers`, of whole numbers `n` of 64 bits. */
function series(from: number, to: number): string {
  return `with recursive numbers(n) as (select cast(${from} as bigint) union all select n + 1 from numbers where n < ${to})`;
}
