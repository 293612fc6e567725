import { sql } from 'kysely';
import type { Migration } from '../../db/migrate.ts';
import type { CounterName } from './tables.ts';

const counters: readonly CounterName[] = ['incident', 'activity', 'task', 'role', 'position', 'homescreen'];

/** Orders of QueryIncidentPreviews (docs/api-rules.md A2, orderField); those that may be null are compared as 0. */
const incidentOrders = [
  'created_at',
  'modified_at',
  'title_folded',
  'status',
  'severity_level',
  'room_prefix',
  'is_drill',
  'started_at',
] as const;
const nullableIncidentOrders = ['ended_at', 'closed_at'] as const;

/** Incidents with their people, tasks, labels and timeline. Long, because it lists tables: one reads it top to bottom. */
export const incidents: Migration = {
  name: '001-incidents',
  async up(db) {
    await db.schema
      .createTable('incident')
      .addColumn('id', 'integer', column => column.primaryKey())
      .addColumn('room_prefix', 'text', column => column.notNull())
      .addColumn('title', 'text', column => column.notNull())
      .addColumn('title_folded', 'text', column => column.notNull())
      .addColumn('slug', 'text', column => column.notNull())
      .addColumn('severity', 'text', column => column.notNull())
      .addColumn('severity_level', 'integer', column => column.notNull())
      .addColumn('status', 'text', column => column.notNull())
      .addColumn('is_drill', 'integer', column => column.notNull())
      .addColumn('created_at', 'bigint', column => column.notNull())
      .addColumn('modified_at', 'bigint', column => column.notNull())
      .addColumn('closed_at', 'bigint')
      .addColumn('started_at', 'bigint', column => column.notNull())
      .addColumn('ended_at', 'bigint')
      .addColumn('created_by', 'text', column => column.notNull())
      .addColumn('version', 'integer', column => column.notNull())
      .execute();
    for (const column of incidentOrders) {
      await db.schema.createIndex(`incident_by_${column}`).on('incident').columns([column, 'id']).execute();
    }
    for (const column of nullableIncidentOrders) {
      const name = sql.ref(`incident_by_${column}`);
      await sql`create index ${name} on incident (coalesce(${sql.ref(column)}, 0), id)`.execute(db);
    }

    await db.schema
      .createTable('incident_label')
      .addColumn('incident_id', 'integer', column => column.notNull())
      .addColumn('key', 'text', column => column.notNull())
      .addColumn('key_folded', 'text', column => column.notNull())
      .addColumn('label', 'text', column => column.notNull())
      .addColumn('label_folded', 'text', column => column.notNull())
      .addColumn('position', 'integer', column => column.notNull())
      .addPrimaryKeyConstraint('incident_label_pk', ['incident_id', 'key', 'label'])
      .execute();
    await db.schema
      .createIndex('incident_label_by_label')
      .on('incident_label')
      .columns(['label_folded', 'incident_id'])
      .execute();
    await db.schema
      .createTable('org_label')
      .addColumn('key', 'text', column => column.notNull())
      .addColumn('label', 'text', column => column.notNull())
      .addColumn('description', 'text', column => column.notNull())
      .addColumn('color_hex', 'text', column => column.notNull())
      .addPrimaryKeyConstraint('org_label_pk', ['key', 'label'])
      .execute();

    await db.schema
      .createTable('person')
      .addColumn('user_id', 'text', column => column.primaryKey())
      .addColumn('name', 'text', column => column.notNull())
      .addColumn('photo_url', 'text', column => column.notNull())
      .addColumn('email', 'text', column => column.notNull())
      .addColumn('email_folded', 'text', column => column.notNull())
      .addColumn('slack_user_id', 'text', column => column.notNull())
      .addColumn('slack_team_id', 'text', column => column.notNull())
      .addColumn('modified_at', 'bigint', column => column.notNull())
      .execute();
    await db.schema.createIndex('person_by_email').on('person').column('email_folded').execute();

    await db.schema
      .createTable('role')
      .addColumn('id', 'integer', column => column.primaryKey())
      .addColumn('name', 'text', column => column.notNull())
      .addColumn('name_folded', 'text', column => column.notNull())
      .addColumn('description', 'text', column => column.notNull())
      .addColumn('important', 'integer', column => column.notNull())
      .addColumn('mandatory', 'integer', column => column.notNull())
      .addColumn('archived', 'integer', column => column.notNull())
      .addColumn('deleted', 'integer', column => column.notNull())
      .addColumn('created_at', 'bigint', column => column.notNull())
      .addColumn('updated_at', 'bigint', column => column.notNull())
      .execute();
    await db.schema
      .createIndex('role_by_name')
      .unique()
      .on('role')
      .column('name_folded')
      .where(sql.ref('deleted'), '=', sql.lit(0))
      .execute();
    await db.schema
      .createTable('assignment')
      .addColumn('incident_id', 'integer', column => column.notNull())
      .addColumn('user_id', 'text', column => column.notNull())
      .addColumn('role_id', 'integer', column => column.notNull())
      .addColumn('position', 'integer', column => column.notNull())
      .addPrimaryKeyConstraint('assignment_pk', ['incident_id', 'user_id', 'role_id'])
      .execute();
    await db.schema
      .createIndex('assignment_by_role')
      .on('assignment')
      .columns(['role_id', 'user_id', 'incident_id'])
      .execute();
    await db.schema.createIndex('assignment_by_user').on('assignment').columns(['user_id', 'incident_id']).execute();

    await db.schema
      .createTable('task')
      .addColumn('incident_id', 'integer', column => column.notNull())
      .addColumn('id', 'text', column => column.notNull())
      .addColumn('position', 'integer', column => column.notNull())
      .addColumn('text', 'text', column => column.notNull())
      .addColumn('status', 'text', column => column.notNull())
      .addColumn('author_user_id', 'text', column => column.notNull())
      .addColumn('assigned_user_id', 'text', column => column.notNull())
      .addColumn('created_at', 'bigint', column => column.notNull())
      .addColumn('modified_at', 'bigint', column => column.notNull())
      .addColumn('immutable', 'integer', column => column.notNull())
      .addPrimaryKeyConstraint('task_pk', ['incident_id', 'id'])
      .execute();

    await db.schema
      .createTable('activity')
      .addColumn('id', 'text', column => column.primaryKey())
      .addColumn('seq', 'bigint', column => column.notNull().unique())
      .addColumn('incident_id', 'integer', column => column.notNull())
      .addColumn('kind', 'text', column => column.notNull())
      .addColumn('user_id', 'text', column => column.notNull())
      .addColumn('subject_user_id', 'text', column => column.notNull())
      .addColumn('created_at', 'bigint', column => column.notNull())
      .addColumn('event_at', 'bigint', column => column.notNull())
      .addColumn('body', 'text', column => column.notNull())
      .addColumn('url', 'text', column => column.notNull())
      .addColumn('context_folded', 'text', column => column.notNull())
      .addColumn('tags', 'text', column => column.notNull())
      .addColumn('immutable', 'integer', column => column.notNull())
      .addColumn('field_values', 'text', column => column.notNull())
      .execute();
    await db.schema
      .createIndex('activity_by_time')
      .on('activity')
      .columns(['incident_id', 'event_at', 'created_at', 'seq'])
      .execute();
    await db.schema
      .createIndex('activity_by_context')
      .on('activity')
      .column('incident_id')
      .where(sql.ref('context_folded'), '<>', sql.lit(''))
      .execute();
    await db.schema.createIndex('activity_by_kind').on('activity').columns(['incident_id', 'kind']).execute();

    await db.schema
      .createTable('counter')
      .addColumn('name', 'text', column => column.primaryKey())
      .addColumn('value', 'bigint', column => column.notNull())
      .execute();
    await db
      .withTables<{ counter: { name: string; value: number } }>()
      .insertInto('counter')
      .values(counters.map(name => ({ name, value: 0 })))
      .execute();
  },
};
