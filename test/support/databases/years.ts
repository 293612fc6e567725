import { sql } from 'kysely';
import { type Database, openDatabase } from '../../../src/db/database.ts';
import { engine } from './fresh.ts';

/** How much an installation holds after years. */
const years = { incidents: 100_000, offers: 90_000, alerts: 20_000, rest: 20_000 } as const;

const minute = 60_000;
const { incidents, offers, alerts, rest } = years;

/** Values of a row by its number `n`, as SQL; a column that is not named has an empty text, or 0. */
type Row = Readonly<Record<string, string>>;

/**
 * Fills an empty database with what years leave in it: incidents that are over, but for forty, with their rooms, and what the bot keeps for
 * weeks. `teamId`: the workspace of the rooms.
 */
export async function fillYears(url: string, { now, teamId }: { now: Date; teamId: string }): Promise<void> {
  await using database = await openDatabase(url);
  const at = (n: string) => `${now.getTime()} - (${incidents} - ${n}) * cast(${15 * minute} as bigint)`;
  const micros = (n: string) => `(${at(n)}) * 1000`;
  const isOpen = `n % ${incidents / 40} = 0`;
  const recent = `${now.getTime()} - n * cast(${minute} as bigint)`;
  const [team, channel] = [`'${teamId}'`, "'C' || n"];
  // Of each table its name, how many rows, and their columns.
  const tables = `
    incident × ${incidents}
      id: n; title: 'Checkout is slow in cell ' || (n % 997); title_folded: 'checkout is slow in cell ' || (n % 997);
      slug: 'checkout-is-slow'; severity: case n % 3 when 0 then 'critical' when 1 then 'major' else 'minor' end;
      severity_level: n % 3 + 1; status: case when ${isOpen} then 'active' else 'resolved' end;
      is_drill: case n % 30 when 7 then 1 else 0 end; is_private: case n % 1000 when 3 then 1 else 0 end;
      created_at: ${micros('n')}; modified_at: ${micros('n')}; started_at: ${micros('n')};
      created_by: 'slack:U' || (n % 200);
      closed_at: case when ${isOpen} then null else ${micros('n')} + 3600000000 end; version: 3;
      ended_at: case when ${isOpen} then null else ${micros('n')} + 3600000000 end
    incident_label × ${incidents}
      incident_id: n; key: 'tags'; label: 'service-' || (n % 40); label_folded: 'service-' || (n % 40)
    org_label × 40
      key: 'tags'; label: 'service-' || (n % 40)
    person × 200
      user_id: 'slack:U' || (n % 200); name: 'Person ' || n
    assignment × ${incidents}
      incident_id: n; user_id: 'slack:U' || (n % 200); role_id: 1
    task × ${incidents}
      incident_id: n; id: 'task-' || n; text: 'Tell support'; status: 'done'
    activity × ${incidents}
      id: 'activity-item-' || n; seq: n; incident_id: n; kind: 'userNote'; created_at: ${micros('n')};
      event_at: ${micros('n')}; body: 'Errors are at ' || n; tags: '[]'; field_values: '{}'
    webhook_event × ${rest}
      id: 'event ' || n; event: 'grafana.incident.created'; incident_id: n; created_at: (${recent}) * 1000
    webhook_delivery × ${rest}
      seq: n; endpoint_id: 1; event_id: 'event ' || n; status: 'success'; attempts: 1; outcome: 'HTTP 200';
      created_at: (${recent}) * 1000; tried_at: (${recent}) * 1000; finished_at: (${recent}) * 1000
    bot_room × ${incidents}
      incident_id: '' || n; team_id: ${team}; channel_id: ${channel}; channel_name: 'inc-' || n;
      announcement_channel_id: 'A' || n; card_ts: n || '.0001'; created_at: '2026-01-01T00:00:00Z'; version: 5;
      rendered_version: 5; declared_by: 'U' || (n % 200); is_private: case n % 1000 when 3 then 1 else 0 end
    bot_channel × ${incidents}
      team_id: ${team}; channel_id: ${channel}; name: 'inc-' || n; is_archived: 1; asked_at: ${at('n')};
      is_private: case n % 1000 when 3 then 1 else 0 end; members_at: ${at('n')}
    bot_channel_member × ${incidents}
      team_id: ${team}; channel_id: ${channel}; user_id: 'U' || (n % 200); is_member: 1
    bot_next_steps × ${incidents}
      incident_id: '' || n; resolution: 'r'; ts: '1.0'; archived_at: 1
    bot_update × ${incidents}
      id: '' || n; incident_id: '' || n; activity_item_id: 'activity-item-' || n; given_at: ${at('n')};
      kind: 'update'
    bot_known_state × ${incidents}
      incident_id: '' || n; state: '{}'
    bot_found × ${incidents}
      incident_id: '' || n; found_at: ${at('n')}; state: 'over'; is_settled: 1
    bot_task × ${incidents}
      incident_id: '' || n; task_id: 'task-' || n; number: 1
    bot_alert_offer × ${offers}
      id: 'alert/' || n; source: 'prometheus'; channel: 'C1'; begun_at: ${recent}; joined_at: ${recent};
      after: 'after ' || n; incident_id: '' || n; state: 'over'
    bot_alert × ${alerts}
      id: 'alert ' || n; source: 'prometheus'; offer: 'alert/' || n; state: 'ended'; told: '{}'; times: 1;
      first_at: ${recent}; newest_at: ${recent}; ended_at: ${recent}
    bot_intent × ${rest}
      key: 'key ' || n; id: 'intent ' || n; kind: 'note.add'; payload: '{}'; subject: '' || n; lane: '' || n; seq: n;
      owner: 'T1/U1'; origin: '{}'; state: 'done'; tell: 'nobody'; created_at: '${now.toISOString()}';
      changed_at: '${now.toISOString()}'
    bot_delivery × ${rest}
      key: 'key ' || n; kind: 'command'; state: 'done'; seq: n; channel_id: ${channel};
      received_at: ${String(now.getTime())}
    bot_line × ${rest}
      id: 'line ' || n; incident_id: '' || n; seq: n; done_at: ${recent}; is_said: 1; is_closed: 1;
      message: 'message ' || n; act: 'act ' || n
    bot_incident × ${rest}
      incident_id: '' || n; snapshot: '{}'; created_at: ${recent}; seen_at: ${recent}
    bot_visit × ${rest}
      incident_id: '' || n; user_id: 'U1'; seen_at: ${recent}
    bot_duty × ${rest}
      id: 'duty ' || n; incident_id: '' || n; kind: 'lead'; audience: 'room'; state: 'over'; changed_at: ${recent}
    bot_page × ${rest}
      id: 'page ' || n; incident_id: '' || n; pager: 'sre'; state: 'acknowledged'; asked_at: ${recent};
      changed_at: ${recent}
    bot_call × ${rest}
      id: 'call ' || n; incident_id: '' || n; targets: '[]'; state: 'over'; begun_at: ${recent}
    bot_called × ${rest}
      call_id: 'call ' || n; user_id: 'U' || n; answer: 'coming'; asked_at: ${recent}
`;
  for (const [, table = '', count, columns = ''] of tables.matchAll(/^ {4}(\w+) × (\d+)\n((?: {6}.*\n)+)/gm)) {
    const cells = columns.split(/;\s/).map(each => each.trim().split(/: (.*)/s, 2) as [string, string]);
    await fill(database, table, Number(count), Object.fromEntries(cells));
  }
  const { single } = database;
  await single(db =>
    sql`update counter set value = ${incidents} where name in ('incident', 'activity', 'task')`.execute(db),
  );
  // Postgres does so by itself, and SQLite never does.
  if (engine === 'postgres') await single(db => sql`analyze`.execute(db));
}

async function fill(database: Database, table: string, count: number, row: Row): Promise<void> {
  const { columns = [] } = (await database.as().introspection.getTables()).find(each => each.name === table) ?? {};
  const known = columns.filter(each => row[each.name] !== undefined || !each.isNullable);
  const values = known.map(each => row[each.name] ?? (/text|char/i.test(each.dataType) ? "''" : '0'));
  const numbers =
    engine === 'postgres'
      ? `generate_series(1, ${count}) as numbers(n)`
      : `(with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${count}) select n from numbers)`;
  const names = known.map(each => `"${each.name}"`).join(', ');
  await database.single(db =>
    sql`${sql.raw(`insert into "${table}" (${names}) select ${values.join(', ')} from ${numbers}`)}`.execute(db),
  );
}
