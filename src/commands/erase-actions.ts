import { botMigrations } from '../bot/schema/migrations.ts';
import { migrate } from '../db/migrate.ts';
import { countUnfinished, type Erasure, erase } from '../erase/erase.ts';
import { describe, findPerson } from '../erase/identity.ts';
import { openServiceDatabase } from '../service/maintenance.ts';
import { type Terminal, toTable } from './command.ts';
import { openStored } from './stored-database.ts';

/** What a table holds, for people. */
const meanings: Readonly<Record<string, string>> = {
  activity: 'timeline items',
  assignment: 'roles held',
  dashboard: 'dashboards',
  dashboard_version: 'versions of dashboards',
  folder: 'folders of dashboards',
  incident: 'incidents',
  incident_label: 'labels of incidents',
  org_label: 'labels',
  person: 'entries in the list of people',
  role: 'roles',
  short_url: 'short links',
  task: 'tasks',
  webhook_event: 'events for webhooks',
  webhook_delivery: 'attempts to deliver webhooks',
  bot_account: 'links between Slack and the API',
  bot_alert: 'alerts',
  bot_alert_offer: 'offers of alerts',
  bot_call: 'calls',
  bot_called: 'people who were called',
  bot_channel_member: 'memberships of channels',
  bot_delivery: 'deliveries from Slack',
  bot_draft: 'drafts',
  bot_duty: 'reminders',
  bot_found: 'incidents found elsewhere',
  bot_greeting: 'greetings',
  bot_incident: 'snapshots of incidents',
  bot_intent: 'intents in the journal',
  bot_known_state: 'states that rooms know',
  bot_line: 'lines in rooms',
  bot_page: 'pages to pagers',
  bot_person: 'what Slack said of the person',
  bot_room: 'rooms',
  bot_update: 'updates of incidents',
  bot_visit: 'visits to incidents',
  bot_channel: 'channels',
  bot_message_note: 'messages on timelines',
  bot_next_steps: 'what comes next in rooms',
  bot_outage: 'outages that rooms were told of',
  bot_poll: 'looks for changes',
  bot_sighting: 'arrivals of commands and events',
  bot_task: 'numbers of tasks',
};

/** `muster erase`: rejects with a sentence when nobody, or more than one person, is called so, or when work of theirs has not ended. */
export async function eraseCommand(
  terminal: Terminal,
  options: { readonly database: string; readonly person: string; readonly dryRun?: true | undefined },
): Promise<void> {
  const now = new Date();
  await using database = await openServiceDatabase(openStored(terminal, options.database), now);
  await migrate(database, 'bot', botMigrations, now);
  const found = await findPerson(database, options.person);
  if (found.kind === 'none')
    throw new Error(`Nobody is stored as “${options.person}”. Name an id, an address or a whole name.`);
  if (found.kind === 'several') {
    const all = found.identities.map(each => `  ${describe(each)}`);
    throw new Error(['Several people are stored by that name. Name one of them by an id:', ...all].join('\n'));
  }
  const { identity, sharedNames } = found;
  const isDryRun = options.dryRun ?? false;
  const unfinished = await countUnfinished(database, identity);
  if (unfinished > 0 && !isDryRun) {
    throw new Error(
      `${unfinished} of their intents have not ended. Wait for them, or give them up: muster journal list shows them.`,
    );
  }
  terminal.note(`${isDryRun ? 'Would erase' : 'Erasing'}: ${describe(identity)}\n`);
  const erasure = await erase(database, identity, { sharedNames, now, isDryRun });
  if (!isDryRun) await database.shrink('all');
  terminal.print(toReport(erasure));
  terminal.note(toHints(erasure, { isDryRun, sharedNames }));
}

function toReport({ changed, deleted }: Erasure): string {
  const lines = [
    ...[...deleted].map(([table, count]) => ['deleted', String(count), meanings[table] ?? table]),
    ...[...changed].map(([table, count]) => ['changed', String(count), meanings[table] ?? table]),
  ];
  return toTable([['', 'rows', 'what'], ...lines]);
}

function toHints(
  { successor, left }: Erasure,
  { isDryRun, sharedNames }: { readonly isDryRun: boolean; readonly sharedNames: readonly string[] },
): string {
  const incidents = [...new Set([...left.values()].flatMap(each => [...each]))].filter(each => each !== '');
  const sorted = incidents.toSorted((one, other) => Number(one) - Number(other));
  return [
    isDryRun ? 'Nothing was changed.' : `“${successor.name}” stands in their place.`,
    ...(sharedNames.length > 0
      ? [`Somebody else is called ${sharedNames.join(', ')} too. The name stays where nothing says who is meant.`]
      : []),
    ...(sorted.length > 0
      ? [
          `People wrote the name as a word in incidents ${sorted.join(', ')}. It stays there: read them, and edit what must go.`,
        ]
      : []),
    ...(isDryRun
      ? []
      : [
          'Restart every Muster that runs on this database: it may keep the name in memory for some minutes.',
          'Backups, exports, Slack and a Grafana are not changed. Erase again after you restore an older backup.',
        ]),
    '',
  ].join('\n');
}
