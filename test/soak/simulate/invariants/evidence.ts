import type { Selectable } from 'kysely';
import { type Offered, readOffers } from '../../../../src/bot/incident/state/alert-store.ts';
import { readCalls, type StoredCall } from '../../../../src/bot/incident/state/call-store.ts';
import { type Latest, openUpdates } from '../../../../src/bot/incident/state/update-store.ts';
import type { BotTables } from '../../../../src/bot/schema/tables.ts';
import { createClient } from '../../../../src/client/client.ts';
import type { Incident } from '../../../../src/contract/incidents.ts';
import { deadlines } from '../../../../src/deadlines.ts';
import type { ActivityRow, IncidentRow, Tables, TaskRow } from '../../../../src/service/store/tables.ts';
import { type Act, type ActKind, bears, isAcknowledged } from '../people/acts.ts';
import type { LaneTables } from '../witness/lanes.ts';
import type { World } from '../world.ts';

/** What a world did wrong, in a sentence. */
export type Complaint = string;

/** All that a world left behind, read once. */
export interface Evidence {
  readonly world: World;
  readonly acts: readonly Act[];
  readonly incidents: readonly IncidentRow[];
  /** In the order in which they were stored. */
  readonly activity: readonly (ActivityRow & { readonly fields: Readonly<Record<string, unknown>> })[];
  readonly tasks: readonly TaskRow[];
  readonly intents: readonly Selectable<BotTables['bot_intent']>[];
  /** Intents that ran together with another one of their lane. */
  readonly runners: readonly LaneTables['two_runners'][];
  /** What waited although the API had refused it, as the database saw it. */
  readonly held: readonly LaneTables['held_by_refusal'][];
  readonly deliveries: readonly Selectable<BotTables['bot_delivery']>[];
  readonly rooms: readonly Selectable<BotTables['bot_room']>[];
  /** The outbox: what people are to read of each change. */
  readonly lines: readonly Selectable<BotTables['bot_line']>[];
  /** Groups of alerts, and what they are offered by. */
  readonly alerts: readonly Selectable<BotTables['bot_alert']>[];
  readonly offers: readonly Offered[];
  readonly calls: readonly StoredCall[];
  /** Each incident as the API shows it. */
  readonly shown: ReadonlyMap<number, Incident>;
  /** The last update of each incident. */
  readonly updates: ReadonlyMap<number, Latest>;
}

/** Whether a user of the API is one of Muster's people, or a source of alerts, in whose name Muster acts. */
export function isOwnUser({ world }: Pick<Evidence, 'world'>, userID: string): boolean {
  return userID.includes('alerts:') || world.slack.people.some(each => userID.endsWith(each.id));
}

/** Reads everything. */
export async function gather(world: World): Promise<Evidence> {
  const api = world.apiDatabase.as<Tables>();
  const bot = world.botDatabase.as<BotTables>();
  const client = createClient({ ...deadlines.api, transport: world.answerApi });
  const incidents = await api.selectFrom('incident').selectAll().orderBy('id').execute();
  const shown = new Map<number, Incident>();
  for (const { id } of incidents) {
    const answer = client.IncidentsService.GetIncident({ incidentID: String(id) });
    shown.set(id, (await answer).incident);
  }
  const { latest } = openUpdates(world.botDatabase);
  const updates = new Map<number, Latest>();
  for (const [id, incident] of shown) updates.set(id, await latest(incident));
  const activity = await api.selectFrom('activity').selectAll().orderBy('seq').execute();
  return {
    world,
    acts: world.acts.all,
    incidents,
    activity: activity.map(row => ({ ...row, fields: JSON.parse(row.field_values) })),
    tasks: await api.selectFrom('task').selectAll().execute(),
    intents: await bot.selectFrom('bot_intent').selectAll().execute(),
    runners: await world.botDatabase.as<LaneTables>().selectFrom('two_runners').selectAll().execute(),
    held: await world.botDatabase.as<LaneTables>().selectFrom('held_by_refusal').selectAll().execute(),
    deliveries: await bot.selectFrom('bot_delivery').selectAll().execute(),
    rooms: await bot.selectFrom('bot_room').selectAll().execute(),
    lines: await bot.selectFrom('bot_line').selectAll().orderBy('incident_id').orderBy('seq').execute(),
    alerts: await bot.selectFrom('bot_alert').selectAll().execute(),
    offers: await readOffers(bot, world.settings.severities, rows => rows),
    calls: await readCalls(bot, rows => rows),
    shown,
    updates,
  };
}

/** The kinds of intent that carry an act out. */
const kindsOf: Readonly<Record<ActKind, readonly string[]>> = {
  declare: ['incident.declare'],
  'ask for a form': [],
  note: ['note.add'],
  edit: ['note.add', 'note.correct'],
  message: ['timeline.add'],
  task: ['task.add'],
  done: ['task.status'],
  role: ['role.assign'],
  severity: ['incident.severity'],
  resolve: ['incident.resolve.summary'],
  reopen: ['incident.status'],
  pick: ['note.add'],
  change: [],
  post: [],
  record: [],
  undo: [],
  look: [],
  call: [],
  answer: [],
  promise: [],
  snooze: [],
  page: [],
};

/** Words with which the bot promises that something is done or will be. Whoever is given a role asked for nothing. */
const promises =
  /^\S+ Saved[. ]|^:memo:|^:pencil2:|You declared|^:heavy_plus_sign:|^☑️ You finished|^:bust_in_silhouette:(?! \S+ made you )|Nothing was done twice/;

/** What the bot made of an act: took it upon itself, refused it or asked back, or it may be either. */
export function standing(
  { intents }: Evidence,
  act: Act,
  kinds = kindsOf[act.kind],
): 'accepted' | 'declined' | 'uncertain' {
  const own = intents.filter(row => act.intents.has(row.key) && kinds.includes(row.kind));
  if (own.length > 0 && own.every(isRefused)) return 'declined';
  if (own.some(row => ['done', 'pending', 'running'].includes(row.state))) return 'accepted';
  // The answer to a message that was lost on its way, or that is offered with a button, is the answer to an earlier one.
  const isAnother =
    act.arrivals.length === 0 || act.answers.some(({ text }) => /^I had already run that command/.test(text));
  // A message and its edits share their answers: one that promises an edit has the words of that edit.
  const isOwn = (text: string) => act.kind !== 'edit' || text.includes(act.value);
  const isPromised =
    act.kind !== 'resolve' && !isAnother && act.answers.some(({ text }) => promises.test(text) && isOwn(text));
  if (isPromised && kinds.length > 0) return 'accepted';
  const isOpen =
    act.answers.length === 0 ||
    act.answers.some(({ text }) => /may or may not have happened|cannot tell whether/.test(text));
  return own.length > 0 || act.intents.size > 0 || !isAcknowledged(act) || isOpen ? 'uncertain' : 'declined';
}

/**
 * The API said no to it, or no twice where the first answer left a doubt. Its person hears so, though they may have read before that it is saved.
 */
function isRefused({ state, outcome, ambiguous }: Selectable<BotTables['bot_intent']>): boolean {
  if (state !== 'failed') return false;
  const { code, maybeApplied } = JSON.parse(outcome);
  return code === 'invalid_argument' && (maybeApplied === false || ambiguous === 0);
}

/** When an act was first stored, in intents of those kinds; undefined when it never was. */
export function storedAt({ intents }: Evidence, act: Act, kinds = kindsOf[act.kind]): number | undefined {
  const times = intents
    .filter(row => kinds.includes(row.kind))
    .map(row => act.intents.get(row.key))
    .filter(time => time !== undefined);
  return times.length === 0 ? undefined : Math.min(...times);
}

/** The incidents of a mark. */
export function incidentsOf({ incidents }: Evidence, mark: string): readonly IncidentRow[] {
  return incidents.filter(row => bears(row.title, mark));
}

/** What of the timeline an act left, by its mark or what it set. */
export function effectsOf(evidence: Evidence, act: Act): Evidence['activity'] {
  const { activity } = evidence;
  const incidents = incidentsOf(evidence, act.incident).map(each => each.id);
  switch (act.kind) {
    case 'declare':
      return activity.filter(row => row.kind === 'incidentCreated' && incidents.includes(row.incident_id));
    case 'note':
    case 'edit':
    case 'pick':
    case 'message':
    case 'resolve':
      return activity.filter(row => row.kind === 'userNote' && bears(row.body, act.mark));
    case 'task':
      return activity.filter(row => row.kind === 'taskAdded' && bears(row.body, act.mark));
    case 'done': {
      const added = activity.filter(row => row.kind === 'taskAdded' && bears(row.body, act.value));
      const ids = added.map(row => String(row.fields.taskID));
      return activity.filter(
        row => row.kind.startsWith('task') && row.fields.status === 'done' && ids.includes(String(row.fields.taskID)),
      );
    }
    case 'role': {
      const [role, userId] = act.value.split(' ');
      return activity.filter(
        row =>
          row.kind === 'roleAssigned' &&
          incidents.includes(row.incident_id) &&
          row.fields.role === role &&
          String(row.fields.userID).endsWith(userId ?? ''),
      );
    }
    default:
      return [];
  }
}

/** Whether a message was more than added from the menu: reacted to, edited or deleted. Its note is looked at by itself. */
function isChanged({ world: { witness } }: Evidence, mark: string): boolean {
  return witness.talks.all.some(each => each.mark === mark && witness.talks.of(each.message).length > 0);
}

/** What people wanted once, each with all the acts that wanted it. */
export function wishes(evidence: Evidence): readonly (readonly [Act, ...Act[]])[] {
  const groups = new Map<string, [Act, ...Act[]]>();
  for (const act of evidence.acts) {
    if (act.kind === 'message' && isChanged(evidence, act.mark)) continue;
    if (kindsOf[act.kind].length === 0 || act.kind === 'severity' || act.kind === 'reopen') continue;
    const name = act.mark ? `mark ${act.mark}` : `${act.kind} ${act.incident} ${act.value}`;
    const group = groups.get(name);
    if (group) group.push(act);
    else groups.set(name, [act]);
  }
  return [...groups.values()];
}

/** An act in a few words. */
export function tell(act: Act): string {
  return `act ${act.number} of ${act.name} (${act.what})`;
}
