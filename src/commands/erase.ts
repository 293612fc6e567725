import type { Command } from 'commander';
import { botMigrations } from '../bot/schema/migrations.ts';
import { migrate } from '../db/migrate.ts';
import { countUnfinished, type Erasure, erase } from '../erase/erase.ts';
import { describe, findPerson } from '../erase/identity.ts';
import { openServiceDatabase } from '../service/maintenance.ts';
import { type Host, toTable } from './command.ts';
import { addRows, type GivenDatabase } from './stored-database.ts';

/** `muster erase`: takes a person out of the database. */
export function register(program: Command, host: Host): void {
  addRows(program, host, [
    {
      usage: 'erase',
      summary: 'take a person out of everything stored: names, addresses, ids, and who wrote which note',
      required: ['--person <who>', 'their id in Slack or in the API, their e-mail address, or their whole name'],
      options: [['--dry-run', 'change nothing, and say what would change']],
      remark: 'Incidents stay readable: in the place of the person stands “Erased person” with a number.',
      examples: ['muster erase --person alice@example.com --dry-run'],
      act: erasePerson,
    },
  ]);
}

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

/** Rejects with a sentence when no person, or more than one, is called so, or when work of theirs has not ended. */
async function erasePerson(
  { terminal, open }: GivenDatabase,
  { person, dryRun: isDryRun = false }: { readonly person: string; readonly dryRun?: boolean },
): Promise<void> {
  const now = new Date();
  await using database = await openServiceDatabase(open(), now);
  await migrate(database, 'bot', botMigrations, now);
  const found = await findPerson(database, person);
  if (found.kind === 'none')
    throw new Error(`Nobody is stored as “${person}”. Name an id, an address or a whole name.`);
  if (found.kind === 'several') {
    const all = found.identities.map(each => `  ${describe(each)}`);
    throw new Error(['Several people are stored by that name. Name one of them by an id:', ...all].join('\n'));
  }
  const { identity, sharedNames } = found;
  const unfinished = await countUnfinished(database, identity);
  if (unfinished > 0 && !isDryRun) {
    throw new Error(
      `${unfinished} of their intents have not ended. Wait for them, or give them up: muster journal list shows them.`,
    );
  }
  terminal.note(`${isDryRun ? 'Would erase' : 'Erasing'}: ${describe(identity)}\n`);
  const erasure = await erase(database, identity, { sharedNames, now, isDryRun });
  if (!isDryRun) await database.shrink('all');
  const lines = [
    ...[...erasure.deleted].map(([table, count]) => ['deleted', String(count), meanings[table] ?? table]),
    ...[...erasure.changed].map(([table, count]) => ['changed', String(count), meanings[table] ?? table]),
  ];
  terminal.print(toTable([['', 'rows', 'what'], ...lines]));
  terminal.note(toHints(erasure, { isDryRun, sharedNames }));
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
