import { findLinks } from '../../../src/service/incidents/links.ts';
import { toIncidentSlug } from '../../../src/service/incidents/slug.ts';
import { fold } from '../../../src/service/store/tables.ts';
import { toWholeSecond } from '../../../src/service/store/time.ts';
import type { Rule } from './rules.ts';
import type { Item, Row, Snapshot } from './snapshot.ts';

/** What an incident must say, after its timeline. */
function replay(incident: Row<'incident'>, items: readonly Item[]) {
  const created = items.find(each => each.kind === 'incidentCreated');
  const over = created?.fields.status === 'resolved' ? incident.created_at : null;
  const state = {
    title: created?.fields.title,
    severity: created?.fields.severity,
    status: created?.fields.status,
    is_drill: created?.fields.isDrill ? 1 : 0,
    started_at: toWholeSecond(incident.created_at),
    ended_at: over,
    closed_at: over,
  };
  for (const { kind, fields, created_at, event_at } of items) {
    if (kind === 'incidentTitleChanged') state.title = fields.title;
    if (kind === 'incidentSeverityChanged') state.severity = fields.severity;
    if (kind === 'incidentIsDrillChanged') state.is_drill = fields.isDrill ? 1 : 0;
    if (kind === 'incidentStart') state.started_at = event_at;
    if (kind === 'incidentEnd') state.ended_at = event_at;
    if (kind !== 'incidentStatusChanged') continue;
    state.status = fields.status;
    state.closed_at = fields.status === 'resolved' ? created_at : null;
    state.ended_at = fields.status === 'resolved' ? (state.ended_at ?? created_at) : null;
  }
  return state;
}

/** The items that come with an incident: its declaration, its first update, the alert of an incoming webhook. */
function isBirth(item: Item, incident: Row<'incident'>): boolean {
  const isBrought = item.body.startsWith('```') || item.fields.source === 'update';
  const isNote = item.kind === 'userNote' && item.created_at === incident.created_at;
  return item.kind === 'incidentCreated' || (isNote && isBrought);
}

/** What a task must say, after the items that speak of it; undefined when it must not be there. */
function replayTask(items: readonly Item[]) {
  let state: Pick<Row<'task'>, 'text' | 'status' | 'assigned_user_id' | 'modified_at'> | undefined;
  for (const { kind, fields, subject_user_id, created_at } of items) {
    if (kind === 'taskDeleted') return undefined;
    if (kind === 'taskAdded') {
      state = { text: String(fields.text), status: 'todo', assigned_user_id: subject_user_id, modified_at: created_at };
    } else if (state) {
      state.text = String(fields.text);
      state.modified_at = Math.max(state.modified_at, created_at);
      if (fields.status !== undefined) state.status = fields.status as Row<'task'>['status'];
      if (fields.userID !== undefined) state.assigned_user_id = String(fields.userID);
    }
  }
  return state;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

function counterOf({ counters }: Snapshot, name: string): number {
  return counters.get(name) ?? -1;
}

/** What is so of incidents, their timelines, tasks, labels and people. */
export const incidentRules = {
  *'an incident was declared once, and first'({ incidents, itemsOf }) {
    for (const { id } of incidents) {
      const places = itemsOf(id).flatMap((each, index) => (each.kind === 'incidentCreated' ? [index] : []));
      if (places.length !== 1 || places[0] !== 0) yield `incident ${id} has incidentCreated at [${places}]`;
    }
  },
  *'a version counts the changes'({ incidents, itemsOf }, { plain }) {
    for (const incident of incidents) {
      const told = itemsOf(incident.id).filter(each => each.kind !== 'contextAttached' && !isBirth(each, incident));
      const least = 1 + told.length;
      if (incident.version === least || (!plain && incident.version > least)) continue;
      yield `incident ${incident.id} has version ${incident.version} and ${told.length} changes`;
    }
  },
  *'an incident is what its timeline says'({ incidents, itemsOf }) {
    for (const incident of incidents) {
      for (const [column, value] of Object.entries(replay(incident, itemsOf(incident.id)))) {
        const stored = incident[column as keyof typeof incident];
        if (stored !== value)
          yield `${column} of incident ${incident.id} is ${stored}, and was last said to be ${value}`;
      }
    }
  },
  *'what is derived from a title follows it'({ incidents }) {
    for (const { id, title, title_folded, slug } of incidents) {
      if (title_folded !== fold(title) || slug !== toIncidentSlug(title)) yield `incident ${id}`;
    }
  },
  *'incidents are numbered without a gap'(snapshot) {
    const ids = snapshot.incidents.map(each => each.id);
    const count = counterOf(snapshot, 'incident');
    if (ids.length !== count || ids.some((id, index) => id !== index + 1))
      yield `${ids.length} incidents, counter ${count}`;
  },
  *'timeline items are numbered by their counter'(snapshot, { plain }) {
    const count = counterOf(snapshot, 'activity');
    for (const { id, seq } of snapshot.items) {
      if (id !== `activity-item-${seq}` || seq > count) yield `${id} has seq ${seq}, counter ${count}`;
    }
    if (plain && snapshot.items.length !== count) yield `${snapshot.items.length} items, counter ${count}`;
  },
  *'nothing is without its incident'({ incidents, items, tasks, labels, assignments }) {
    const ids = new Set(incidents.map(each => each.id));
    for (const [name, rows] of Object.entries({ items, tasks, labels, assignments })) {
      for (const { incident_id } of rows) if (!ids.has(incident_id)) yield `${name} of incident ${incident_id}`;
    }
  },
  *'tasks are what the timeline says'(snapshot) {
    const stored = new Map(snapshot.tasks.map(each => [each.id, each]));
    const told = Map.groupBy(
      snapshot.items.filter(each => /^task/.test(each.kind)),
      each => String(each.fields.taskID),
    );
    for (const [id, items] of told) {
      const { text, status, assigned_user_id, modified_at } = stored.get(id) ?? {};
      const wanted = JSON.stringify(replayTask(items) ?? {});
      const found = JSON.stringify({ text, status, assigned_user_id, modified_at });
      if (found !== wanted) yield `${id} is ${found}, and was last said to be ${wanted}`;
    }
    for (const id of stored.keys()) if (!told.has(id)) yield `${id} is on no timeline`;
    const numbers = [...stored.keys()].map(id => Number(id.replace('task-', '')));
    if (numbers.some(each => each > counterOf(snapshot, 'task'))) yield 'a task is beyond its counter';
  },
  *'labels are what the timeline says'({ incidents, itemsOf, labels }, { plain }) {
    const stored = Map.groupBy(labels, each => each.incident_id);
    for (const { id } of incidents) {
      const told = Map.groupBy(
        itemsOf(id).filter(each => /^label/.test(each.kind)),
        each => String(each.fields.label),
      );
      const rows = stored.get(id) ?? [];
      for (const text of new Set([...told.keys(), ...rows.map(each => each.label)])) {
        const items = told.get(text) ?? [];
        const removed = items.findLastIndex(each => each.kind === 'labelRemoved');
        const wanted = items.length - removed - 1;
        const found = rows.filter(each => each.label === text).length;
        const declared = !plain && removed === -1 ? 1 : 0;
        if (found < wanted || found > wanted + declared)
          yield `incident ${id} has ${JSON.stringify(text)} ${found} times, not ${wanted}`;
      }
    }
  },
  *'people hold the roles that the timeline says'({ items, assignments, roles }) {
    const toKey = (incident: number, user: unknown, role: unknown) => JSON.stringify([incident, user, role]);
    const told = new Map<string, boolean>();
    for (const { kind, incident_id, fields } of items) {
      if (/^role/.test(kind)) told.set(toKey(incident_id, fields.userID, fields.roleID), kind === 'roleAssigned');
    }
    const held = new Set(assignments.map(each => toKey(each.incident_id, each.user_id, each.role_id)));
    for (const [key, holds] of told) if (holds !== held.has(key)) yield `${key} is ${holds ? 'not ' : ''}held`;
    for (const key of held) if (!told.has(key)) yield `${key} is on no timeline`;
    const known = new Set(roles.map(each => each.id));
    for (const { role_id } of assignments) if (!known.has(role_id)) yield `role ${role_id} is not there`;
  },
  *'every link of a note is attached'({ incidents, itemsOf }, { plain }) {
    if (!plain) return;
    for (const { id } of incidents) {
      const attached = itemsOf(id).filter(each => each.kind === 'contextAttached' && each.fields.activityItemID);
      const links = itemsOf(id)
        .filter(each => each.kind === 'userNote')
        .flatMap(note => findLinks(note.body).map(url => `${note.id} ${url}`));
      const found = attached.map(each => `${each.fields.activityItemID} ${each.url}`);
      if (links.toSorted().join() !== found.toSorted().join()) yield `incident ${id}`;
    }
  },
  *'places in lists are given once, by their counter'(snapshot) {
    const positions = [...snapshot.tasks, ...snapshot.labels, ...snapshot.assignments].map(each => each.position);
    if (new Set(positions).size !== positions.length) yield 'two have the same';
    if (positions.some(each => each > counterOf(snapshot, 'position'))) yield 'one is beyond the counter';
  },
  *'the home screen counts every change'(snapshot, { plain }) {
    const changes = sum(snapshot.incidents.map(each => each.version));
    const count = counterOf(snapshot, 'homescreen');
    if (count !== changes && (plain || count < changes)) yield `version ${count} after ${changes} changes`;
  },
} satisfies Record<string, Rule>;
