import type { Logger } from 'pino';
import { isOwnHost } from '../../contract/own-host.ts';
import { type LastBackup, readBackup } from '../../db/backups.ts';
import type { Database } from '../../db/database.ts';
import type { Deadlines } from '../../deadlines.ts';
import type { StateCount } from '../journal/rows.ts';
import { movedChannel } from '../schema/sightings.ts';
import { signatureOf } from '../slack/http-receiver.ts';
import { checkAnnouncements } from './announcements.ts';
import { checkApi, type ProbedApi } from './api.ts';
import { checkDatabase, checkStoring, type Schemas } from './database.ts';
import { type Check, type Finding, failing, ok, unknown } from './finding.ts';
import { checkInbox } from './inbox.ts';
import type { Installation } from './installation.ts';
import { checkJournal } from './journal.ts';
import { checkEvents, checkScopes } from './permissions.ts';
import type { SeenAlert, SeenPage, Sightings } from './sightings.ts';
import { readSlackView, type SlackView, textOf } from './slack-view.ts';
import { checkAppToken, checkBotToken, checkMessages, checkSigningSecret, toMinute } from './tokens.ts';

/** What the doctor works with. */
export interface DoctorDeps {
  readonly installation: Installation;
  /** The slash commands of the manifest, with their slashes. */
  readonly commands: readonly string[];
  /** Undefined when the caller has no way to ask it. */
  readonly api: ProbedApi | undefined;
  /** Undefined when the database cannot be opened. */
  readonly stored: Stored | undefined;
  readonly sightings: Sightings;
  /** Checks that only this caller can make. */
  readonly others?: readonly Check[];
  readonly clock: () => Date;
  /** Milliseconds of a clock that never steps. */
  readonly monotonicNow: () => number;
  readonly log: Logger;
}

/** The database, and what Muster keeps there. */
interface Stored {
  readonly database: Database;
  readonly schemas: Schemas;
  readonly journal: { countByState(): Promise<readonly StateCount[]> };
}

/** Every check of an installation, in the order of the report. `typed`: as the doctor is asked. */
export function toChecks(deps: DoctorDeps, typed: boolean): readonly Check[] {
  const { installation, sightings, clock, monotonicNow, commands, api, stored, others = [] } = deps;
  const { commandRoot, mode } = installation;
  const facts = readSlackView(installation, clock);
  return [
    { name: 'bot token', run: async () => [checkBotToken(await facts)] },
    { name: 'workspaces', run: async () => checkWorkspaces(installation, await facts) },
    { name: 'app token', run: async () => [await checkAppToken(installation, await facts)] },
    { name: 'signing secret', run: async () => [await checkSigningSecret(installation, sightings)] },
    { name: 'request URL', run: async () => [await checkRequestUrl(installation, sightings, clock())] },
    { name: 'scopes', run: async () => checkScopes(await facts) },
    { name: 'events', run: async () => await checkEvents(await facts, sightings) },
    {
      name: 'commands',
      run: () => checkCommands({ names: commands, commandRoot, typed, now: clock() }, sightings),
    },
    { name: 'messages', run: async () => [await checkMessages(installation, await facts)] },
    { name: 'announcement channel', run: async () => [await checkAnnouncements(installation, await facts)] },
    { name: 'clock', run: async () => [checkClock(await facts, mode.kind)] },
    { name: 'pages', run: async () => [await checkPages(installation)] },
    ...(api ? [{ name: 'incident API', run: () => checkApi(installation, api, monotonicNow) }] : []),
    { name: 'changes made elsewhere', run: async () => [await checkSync(installation, sightings)] },
    {
      name: 'moved channels',
      run: () => checkMovedChannels({ ANNOUNCE_CHANNEL: [installation.announceChannel] }, sightings),
    },
    { name: 'alerts', run: () => checkAlerts(installation, sightings, clock()) },
    { name: 'pagers', run: () => checkPagers(installation.pagers, sightings) },
    ...(stored ? storedChecks(stored, installation.databaseUrl, sightings, clock) : []),
    ...others,
  ];
}

function storedChecks(
  { database, schemas, journal }: Stored,
  databaseUrl: string,
  sightings: Sightings,
  clock: () => Date,
): readonly Check[] {
  return [
    { name: 'database', run: () => checkDatabase(database, databaseUrl, schemas) },
    { name: 'backup', run: async () => [judgeBackup(await readBackup(database), clock())] },
    { name: 'storing', run: async () => [await checkStoring(sightings, clock())] },
    { name: 'inbox', run: async () => [await checkInbox(database, clock())] },
    { name: 'journal', run: async () => [await checkJournal(() => journal.countByState(), clock())] },
  ];
}

/** How long ago a command may have arrived last to be known as ours, in milliseconds. */
const stillOurs = 7 * 24 * 60 * 60_000;

interface WantedCommands {
  /** With their slashes. */
  readonly names: readonly string[];
  readonly commandRoot: string;
  /** A person was asked to type those that had not arrived, and says that they did. */
  readonly typed: boolean;
  readonly now: Date;
}

/**
 * Whether each slash command reaches Muster. Slack gives a command to the app that was installed last under that name (docs/slack.md
 * 4) and tells nobody; only a command that arrives proves that it is ours. Those that are taken share one line: one act fixes all.
 */
async function checkCommands(wanted: WantedCommands, sightings: Sightings): Promise<readonly Finding[]> {
  const { names, commandRoot, typed, now } = wanted;
  const seen = await sightings.all();
  const isOurs = (last: Date | undefined): last is Date =>
    last !== undefined && now.getTime() - last.getTime() < stillOurs;
  const taken = typed ? names.filter(name => !isOurs(seen.get(subjectOf(name)))) : [];
  const others = names.filter(name => !taken.includes(name));
  return [
    ...(taken.length > 0 ? [takenFinding(taken, commandRoot)] : []),
    ...others.map(name => {
      const last = seen.get(subjectOf(name));
      return isOurs(last)
        ? ok(subjectOf(name), `It reaches Muster; the last one noted came ${toMinute(last)}.`)
        : untypedFinding(name, commandRoot, last);
    }),
  ];
}

const subjectOf = (name: string) => `command ${name}`;

/** Commands that were typed and did not arrive. */
function takenFinding(names: readonly string[], commandRoot: string): Finding {
  const all = names.join(', ');
  const [are, them, have] = names.length === 1 ? ['It was', all, 'it'] : ['They were', 'them', 'them'];
  return failing(
    `${names.length === 1 ? 'command' : 'commands'} ${all}`,
    `${are} typed and did not reach Muster: another app has taken ${them}, or this app does not have ${have}.`,
    whatStops(names, commandRoot),
    'An administrator removes the other app or its command. Then paste “muster manifest” into the app’s App Manifest and reinstall it: Slack gives a command to the app that was installed last.',
  );
}

/** A command that nobody has typed lately. */
function untypedFinding(name: string, commandRoot: string, last: Date | undefined): Finding {
  return unknown(
    subjectOf(name),
    last ? `The last one noted came ${toMinute(last)}.` : 'None has arrived yet, and Slack does not tell whose it is.',
    whatStops([name], commandRoot),
    `Type “${name} help” in Slack. If Muster does not answer, another app has taken it, or this app does not have it.`,
  );
}

/** What does not work without these commands, and what does the same meanwhile. */
function whatStops(names: readonly string[], commandRoot: string): string {
  const root = `/${commandRoot}`;
  const lines = names.map(name => `${name} …`).join(', ');
  if (names.includes(root)) return `${lines}; a mention of the bot does the same`;
  const instead = names.map(name => `“${root} ${name.slice(1)} …”`).join(', ');
  return `${lines}; ${instead} and a mention of the bot do the same`;
}

/** A request that Slack sent no longer ago than this proves the address, in milliseconds. */
const lately = 60 * 60_000;

/** Whether the pages are on, and whether they can be read at the public address. */
export async function checkPages({ pages, publicUrl, apiKind, deadlines }: Installation): Promise<Finding> {
  const subject = 'pages';
  if (apiKind === 'grafana') return ok(subject, 'Links open Grafana, so there are no pages of Muster’s own.');
  if (pages === 'off') return ok(subject, 'They are off (PAGES), so links to incidents are not offered.');
  if (publicUrl === '') {
    const fix = 'Put the address under which people reach this server into PUBLIC_URL.';
    return failing(subject, 'They are on, and PUBLIC_URL is not set.', 'links to incidents in Slack', fix);
  }
  const status = (await ask(`${publicUrl}/incidents`, {}, deadlines))?.status ?? 0;
  if (pages === 'slack' && status === 401)
    return publicUrl.startsWith('https:') || isOwnHost(URL.parse(publicUrl)?.hostname ?? '')
      ? ok(subject, `The people of the workspace read them at ${publicUrl}.`)
      : failing(
          subject,
          `PUBLIC_URL is ${publicUrl}, and browsers keep no cookie over http.`,
          'reading pages: nobody gets in',
          'Put an https address in front of Muster, and into PUBLIC_URL.',
        );
  if (status === 200) return ok(subject, `They are open to everybody who reaches ${publicUrl}.`);
  return failing(
    subject,
    status === 0 ? `Nothing answers at ${publicUrl}.` : `${publicUrl} answers with status ${status}.`,
    'links to incidents in Slack',
    'Check PUBLIC_URL, and that the proxy there passes requests to Muster’s PORT.',
  );
}

/**
 * In HTTP mode: whether Slack's requests arrive, or, when none came lately, whether a signed request to the public address reaches a
 * Muster with this signing secret.
 */
export async function checkRequestUrl(
  { mode, publicUrl, deadlines }: Installation,
  sightings: Sightings,
  now: Date,
): Promise<Finding> {
  const subject = 'request URL';
  if (mode.kind === 'socket') return ok(subject, 'None is needed: Muster opens the connection itself.');
  const last = await sightings.lastDelivery();
  if (last && now.getTime() - last.getTime() < lately) return ok(subject, 'Slack’s requests arrive.');
  const stops = 'all that people do in Slack: nothing of it arrives';
  if (publicUrl === '') {
    const fix = 'Set PUBLIC_URL, and the app’s Request URLs to that address with /slack/events behind it.';
    return unknown(subject, 'PUBLIC_URL is not set, so the address cannot be tried.', stops, fix);
  }
  const address = `${publicUrl}/slack/events`;
  const body = JSON.stringify({ type: 'url_verification', challenge: 'doctor' });
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const headers = {
    'content-type': 'application/json',
    'x-slack-request-timestamp': timestamp,
    'x-slack-signature': signatureOf(mode.signingSecret, timestamp, body),
  };
  const answer = await ask(address, { method: 'POST', headers, body }, deadlines);
  if (answer?.status === 200 && answer.text.includes('doctor')) return ok(subject, `${address} takes signed requests.`);
  if (answer?.status === 401) {
    const found = `${address} refuses a request that is signed with this SLACK_SIGNING_SECRET.`;
    return failing(subject, found, stops, 'Give both the same SLACK_SIGNING_SECRET, and check this machine’s clock.');
  }
  return failing(
    subject,
    answer ? `${address} answers with status ${answer.status}.` : `Nothing answers at ${address}.`,
    stops,
    'Check PUBLIC_URL, and that the proxy there passes /slack/events to Muster’s PORT.',
  );
}

async function ask(
  address: string,
  init: RequestInit,
  deadlines: Deadlines,
): Promise<{ status: number; text: string } | undefined> {
  try {
    const response = await fetch(address, {
      ...init,
      redirect: 'manual',
      signal: AbortSignal.timeout(deadlines.doctor.page),
    });
    return { status: response.status, text: await response.text() };
  } catch {
    return undefined;
  }
}

/** How far the clock may be off before times in incidents look wrong, in seconds. */
const noticeable = 30;
/** How far it may be off before Slack's requests are refused, in seconds (docs/slack.md 8). */
const refused = 300;

/** Whether this machine's clock agrees with Slack's. */
function checkClock({ auth, askedAt }: SlackView, mode: 'http' | 'socket'): Finding {
  const subject = 'clock';
  if (!auth.date) {
    const fix = 'Run the doctor again when Slack answers.';
    return unknown(subject, 'Slack did not tell its time.', 'times in incidents, and signatures', fix);
  }
  // Slack tells whole seconds.
  const skew = Math.round((askedAt.getTime() - auth.date.getTime()) / 1000);
  const off = Math.abs(skew);
  if (off <= noticeable) return ok(subject, `It agrees with Slack’s to ${Math.max(1, off)} s.`);
  const found = `It is ${off} s ${skew < 0 ? 'behind' : 'ahead of'} Slack’s.`;
  const stops =
    off > refused && mode === 'http'
      ? 'all that people do in Slack: Muster refuses requests that seem old or from the future; times in incidents are wrong too'
      : 'right times: “now” and “20m ago” in incidents are off by as much';
  return failing(subject, found, stops, 'Set the clock by NTP, for example: timedatectl set-ntp true');
}

const hour = 3_600_000;
/** A copy each night is never older than a day and a bit. The alert MusterBackupOld has the same limit. */
const oldest = 26 * hour;

const stops = 'what was done since then comes back no more if the database or its disk is lost';

/** What the age of the last copy means. */
export function judgeBackup(last: LastBackup | undefined, now: Date): Finding {
  const subject = 'backup';
  const fix = 'docs/operating.md, MusterBackupOld: let bin/backup.sh run each night, and look why it fails.';
  if (!last) return unknown(subject, 'The database is of an older Muster, which noted no copies.', stops, fix);
  const age = now.getTime() - last.since.getTime();
  if (last.bytes !== undefined) {
    const found = `The last copy is ${toWords(age)} old and has ${(last.bytes / 1e6).toFixed(1)} MB.`;
    return age > oldest ? failing(subject, found, stops, fix) : ok(subject, found);
  }
  if (age <= oldest) return ok(subject, 'There is no copy yet, and the database is younger than a day.');
  const found = `“muster backup” has made no copy, and the database is ${toWords(age)} old. Copies made in another way are not known here.`;
  return unknown(
    subject,
    found,
    'everything that Muster keeps comes back no more if the database or its disk is lost',
    fix,
  );
}

function toWords(age: number): string {
  const hours = Math.max(0, Math.floor(age / hour));
  if (hours < 1) return 'less than an hour';
  if (hours < 48) return hours === 1 ? '1 hour' : `${hours} hours`;
  return `${Math.floor(hours / 24)} days`;
}

/** Whether each source's alerts arrive, by its newest delivery. */
export async function checkAlerts(
  { alertSources, publicUrl }: Pick<Installation, 'alertSources' | 'publicUrl'>,
  sightings: Sightings,
  now: Date,
): Promise<readonly Finding[]> {
  if (alertSources.length === 0) {
    const found = 'ALERTS is not set, so Muster takes no alerts of a monitoring tool; docs/alerts.md says how it does.';
    return [ok('alerts', found)];
  }
  const findings = alertSources.map(async source => {
    const last = await sightings.lastAlerts(source);
    return [judgeSource(source, publicUrl || 'https://<muster>', last), ...judgeTools(source, last, now)];
  });
  return (await Promise.all(findings)).flat();
}

/** How long the doctor tells of a second tool, in milliseconds. */
const otherToolMatters = 24 * 3_600_000;

function judgeTools(source: string, last: ReadonlyMap<SeenAlert, Date>, now: Date): readonly Finding[] {
  const at = last.get('other_tool');
  if (at === undefined || now.getTime() - at.getTime() > otherToolMatters) return [];
  const found = `Two tools send as ${source}, by their addresses (externalURL); the newest change was at ${at.toISOString()}.`;
  const stops = 'the end of an alert, where both tell of different alerts under one key';
  const fix =
    'Give each cluster a source of its own in ALERTS. Give the Alertmanagers of one cluster one address (--web.external-url).';
  return [unknown(`tools of ${source}`, found, stops, fix)];
}

function judgeSource(source: string, publicUrl: string, last: ReadonlyMap<SeenAlert, Date>): Finding {
  const subject = `alerts of ${source}`;
  const address = `${publicUrl}/hooks/alerts/${source}`;
  const stops = `the alerts of ${source}: none becomes an incident`;
  const [stored, unreadable, strange] = [last.get('stored'), last.get('refused_body'), last.get('refused_token')];
  const before = stored ? ` The newest that was stored came at ${stored.toISOString()}.` : ' None was stored before.';
  if (isNewer(unreadable, stored)) {
    const found = `A delivery at ${unreadable.toISOString()} could not be read as an alert.${before}`;
    const fix = `The log says what it lacks: look for “alerts:” with the source ${source}. Correct the tool’s body, or its paths in ALERTS_SOURCES (docs/alerts.md).`;
    return failing(subject, found, stops, fix);
  }
  if (isNewer(strange, stored)) {
    const found = `A request at ${strange.toISOString()} had no token of ${source}, or another one.${before}`;
    const fix = `Give the tool the token that ALERTS has for ${source}, and let the tool send a test.`;
    // The address is open to strangers, so a request alone does not prove that the tool is refused.
    return stored ? unknown(subject, found, `${stops}, if it was the tool`, fix) : failing(subject, found, stops, fix);
  }
  if (stored) return ok(subject, `They arrive, the newest at ${stored.toISOString()}.`);
  const found = `Nothing has arrived at ${address} yet.`;
  const fix = `Type “muster alerts test --source ${source}” in a shell, then let the tool send a test (docs/alerts.md).`;
  return unknown(subject, found, stops, fix);
}

/** Whether people read the channels of alerts to whom they may not be shown. `outsidersIn` and `nameOf`: of a channel, by its id. */
export async function checkAlertReaders(
  channels: readonly string[],
  outsidersIn: (channelId: string) => Promise<'strangers' | 'guests' | 'unknown' | undefined>,
  nameOf: (channelId: string) => Promise<string>,
): Promise<readonly Finding[]> {
  const findings = [...new Set(channels)].map(async id => {
    const outsiders = await outsidersIn(id);
    const subject = `readers of alerts in #${await nameOf(id)}`;
    const stops = 'reading there which alert fires: each is “An alert”, and Declare shows more';
    if (outsiders === 'unknown')
      return [
        unknown(subject, 'Slack does not tell who reads that channel.', stops, 'Run the doctor again in a minute.'),
      ];
    if (!outsiders) return [];
    const [who, setting] =
      outsiders === 'guests' ? ['Guests', 'GUESTS=all'] : ['People of another organisation', 'SHARED_CHANNELS=all'];
    const fix = `Offer the alerts in a channel of members alone (\`channel\` in ALERTS_SOURCES, or ANNOUNCE_CHANNEL), or set ${setting}, which shows them incidents and alerts.`;
    return [failing(subject, `${who} may read that channel.`, stops, fix)];
  });
  return (await Promise.all(findings)).flat();
}

/** Whether settings name a channel by an id that it has no longer: `settings` are the ids, by the setting that has them. */
export async function checkMovedChannels(
  settings: Readonly<Record<string, readonly string[]>>,
  sightings: Sightings,
): Promise<readonly Finding[]> {
  const moved = [...(await sightings.all()).keys()].flatMap(name => {
    const ids = movedChannel.read(name);
    return ids ? [ids] : [];
  });
  return Object.entries(settings).flatMap(([setting, ids]) =>
    moved
      .filter(([oldId]) => ids.includes(oldId))
      .map(([oldId, newId]) =>
        failing(
          `channel of ${setting}`,
          `${oldId} has another id now: ${newId}.`,
          'what Muster posts in that channel',
          `Put ${newId} into ${setting} in place of ${oldId}, and start Muster again.`,
        ),
      ),
  );
}

/** Whether each pager took the newest page. */
export async function checkPagers(pagers: readonly string[], sightings: Sightings): Promise<readonly Finding[]> {
  if (pagers.length === 0)
    return [
      ok('pagers', 'PAGERS is not set, so nobody is paged from Slack; docs/pager.md says how a pager is set up.'),
    ];
  return await Promise.all(pagers.map(async pager => judgePager(pager, await sightings.lastPages(pager))));
}

function judgePager(pager: string, last: ReadonlyMap<SeenPage, Date>): Finding {
  const subject = `pager ${pager}`;
  const stops = `pages to ${pager}: nobody is woken`;
  const [sent, again, failed] = [last.get('sent'), last.get('again'), last.get('failed')];
  const before = sent ? ` It took one at ${sent.toISOString()}.` : ' It has taken none before.';
  if (isNewer(failed, sent) && isNewer(failed, again)) {
    const found = `It refused a page at ${failed.toISOString()}.${before}`;
    const fix = `The log says why: look for “journal: intent failed” with the kind page.send. Correct ${pager} in PAGERS.`;
    return failing(subject, found, stops, fix);
  }
  if (isNewer(again, sent)) {
    const found = `It could not take a page at ${again.toISOString()}, and Muster tries again.${before}`;
    const fix = 'See whether the pager answers, and whether this machine reaches it. The log has the reason.';
    return failing(subject, found, stops, fix);
  }
  if (sent) return ok(subject, `It takes pages, the newest at ${sent.toISOString()}.`);
  const fix = `Type “muster pager test ${pager}” in a shell, or page it once from a drill: /incident page ${pager} a test.`;
  return unknown(subject, 'Nobody has paged it yet.', stops, fix);
}

function isNewer(at: Date | undefined, than: Date | undefined): at is Date {
  return at !== undefined && at.getTime() > (than?.getTime() ?? 0);
}

/**
 * How soon Slack shows a change that is made elsewhere, and whether webhooks arrive where they are set up. Nothing fails without them:
 * Muster asks the API itself.
 */
export async function checkSync(
  { apiKind, takesWebhooks, publicUrl }: Installation,
  sightings: Sightings,
): Promise<Finding> {
  const subject = 'changes made elsewhere';
  const hook = `${publicUrl || 'https://<muster>'}/hooks/incident`;
  const setUp = `in Grafana, Incident → Settings → Integrations → Outgoing webhooks, add one to ${hook} for all events`;
  if (takesWebhooks) {
    const last = await sightings.lastWebhook();
    if (last === undefined) {
      const found = 'INCIDENT_WEBHOOK_SECRET is set, and no webhook has arrived yet.';
      const fix = `Change an incident in Grafana, and ask again. When none arrives: ${setUp}, with that secret as its signing secret.`;
      return unknown(subject, found, 'nothing; but Slack shows a change within 15 s instead of 5 s', fix);
    }
    const found = `Webhooks arrive, the last at ${last.toISOString()}. Slack shows a change within 5 s when a webhook reports it. A task or a note, which none reports, shows within 35 s.`;
    return ok(subject, found);
  }
  if (apiKind === 'embedded') {
    const found =
      'Slack shows within 5 s what reaches the API through this Muster, and within 15 s what another process does: Muster asks the API every 10 s.';
    return ok(subject, found);
  }
  return ok(
    subject,
    `INCIDENT_WEBHOOK_SECRET is not set, so Muster asks the API every 10 s, and Slack shows a change within 15 s. For 5 s: ${setUp}, put its signing secret into INCIDENT_WEBHOOK_SECRET, and start Muster again.`,
  );
}

const subject = 'workspaces';
const addIt = 'In the organisation’s settings, under Apps, add the app to the workspaces whose people run incidents';

/** The workspaces of an organisation that has the app, and the one for incidents that began outside Slack; none of it for a single workspace. */
function checkWorkspaces({ workspace }: Installation, { auth, teams }: SlackView): readonly Finding[] {
  if (!teams) return workspace === '' || auth.error !== '' ? [] : [checkHome(workspace, textOf(auth.body, 'team_id'))];
  const stops = 'everything in the workspaces that lack the app';
  if (teams.error !== '') {
    const again = 'Run the doctor again in a minute.';
    return [unknown(subject, `Slack does not list the workspaces of the organisation: ${teams.error}.`, stops, again)];
  }
  const listed = Array.isArray(teams.body.teams) ? teams.body.teams : [];
  const organisation = textOf(auth.body, 'team');
  const nameOf = (team: unknown) => textOf(team, 'name') || textOf(team, 'id');
  const names = listed.map(nameOf).join(', ');
  const has = `The organisation ${organisation} has the app in: ${names}.`;
  if (listed.length === 0) {
    const found = `The organisation ${organisation} has the app in no workspace.`;
    return [failing(subject, found, 'everything in Slack', `${addIt}, then start Muster again.`)];
  }
  const wanted = listed.find(team => textOf(team, 'id') === workspace);
  if (workspace !== '' && wanted === undefined) {
    const found = `SLACK_WORKSPACE is ${workspace}, which is none of them. ${has}`;
    const instead = `channels of incidents that began outside Slack: they are made in ${nameOf(listed[0])}`;
    return [failing(subject, found, instead, `${addIt}, or set SLACK_WORKSPACE to one of them.`)];
  }
  const [first] = listed;
  const usual = `Channels of incidents that began outside Slack are made in ${nameOf(wanted ?? first)}.`;
  return [ok(subject, `${has} ${usual}${workspace === '' ? ' SLACK_WORKSPACE names another one.' : ''}`)];
}

function checkHome(workspace: string, home: string): Finding {
  if (workspace === home) return ok(subject, 'SLACK_WORKSPACE is the workspace of the token.');
  const found = `SLACK_WORKSPACE is ${workspace}, and the bot token is of the workspace ${home} alone.`;
  return failing(subject, found, 'nothing: channels are made in the workspace of the token', 'Remove SLACK_WORKSPACE.');
}
