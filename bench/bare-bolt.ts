import { setTimeout as pause } from 'node:timers/promises';
import { App, HTTPReceiver } from '@slack/bolt';
import { roundWait, type Write } from '../src/bot/incident/lines/pace.ts';

/*
 * What Muster is measured against: the least Bolt app that checks signatures and acknowledges `/muster`, and, when it has an
 * API, adds a note to an incident with the calls that Muster makes, storing nothing. It is written and run as Muster is, in
 * TypeScript that Node runs as it is.
 */

const { SLACK_BOT_TOKEN = '', SLACK_SIGNING_SECRET = '', SLACK_API_URL = '', PORT, ANSWER = '' } = process.env;
const { GRAFANA_URL, GRAFANA_TOKEN = '', ROOMS = '[]' } = process.env;

const answer = JSON.parse(ANSWER);
const app = new App({
  token: SLACK_BOT_TOKEN,
  receiver: new HTTPReceiver({ signingSecret: SLACK_SIGNING_SECRET }),
  clientOptions: { slackApiUrl: SLACK_API_URL },
});
app.command('/muster', async ({ ack }) => {
  await ack(answer);
});

/** The rooms of incidents, as Muster has them in its database. */
interface Room {
  readonly incidentID: string;
  readonly channelId: string;
  readonly cardTs: string;
  readonly announcementChannelId: string;
  readonly announcementTs: string;
}

const rooms = new Map((JSON.parse(ROOMS) as Room[]).map(room => [room.channelId, room]));
const people = new Map<string, Promise<{ name: string }>>();
let directory: Promise<unknown> | undefined;
/** The incidents whose cards are being rendered; `again` when they changed meanwhile. */
const rendering = new Map<string, { again: boolean }>();

if (GRAFANA_URL) {
  app.command('/note', async ({ ack, command, respond }) => {
    await ack();
    const room = rooms.get(command.channel_id);
    if (!room) throw new Error(`There is no incident in ${command.channel_id}.`);
    const { name } = await find(command.user_id);
    directory ??= call('UsersService.QueryUsers', { query: { limit: 500 }, cursor: { nextValue: '', hasMore: false } });
    await directory;
    const noted = command.text.replace(/^add /, '');
    await call('ActivityService.AddActivity', {
      incidentID: room.incidentID,
      activityKind: 'userNote',
      body: `${noted}\n\n— ${name} in Slack`,
      eventTime: new Date().toISOString(),
      fieldValues: { source: 'note', addedBy: name, addedByUser: command.user_id },
    });
    void render(room);
    const receipt = `:memo: Added to the timeline of incident ${room.incidentID}: “${noted}”.`;
    const blocks = [{ type: 'section', text: { type: 'mrkdwn', text: receipt } } as const];
    await respond({ response_type: 'ephemeral', text: receipt, blocks });
  });
}

function find(user: string): Promise<{ name: string }> {
  const asked = people.get(user) ?? app.client.users.info({ user }).then(found => ({ name: found.user?.name ?? user }));
  people.set(user, asked);
  return asked;
}

/** Texts of the cards as they were written last. */
const shown = new Map<string, string>();

/** The writes about each incident. Cards are rendered as often as Muster does. */
const written = new Map<string, readonly Write[]>();
/** How long a round waits for further changes, in milliseconds. */
const gathering = 300;

/** Renders card and announcement, one round at a time for each incident. It writes them when they have changed, as Muster does. */
async function render(room: Room): Promise<void> {
  const running = rendering.get(room.incidentID);
  if (running) {
    running.again = true;
    return;
  }
  const mine = { again: false };
  rendering.set(room.incidentID, mine);
  do {
    const writes = written.get(room.incidentID) ?? [];
    await pause(Math.max(gathering, roundWait({ writes, changes: [], isAny: true, isUrgent: false }, Date.now())));
    mine.again = false;
    const write = { at: Date.now(), part: 'lines', isUrgent: false } as const;
    written.set(room.incidentID, [...writes.filter(each => write.at - each.at < 60_000), write]);
    const { incident } = await call('IncidentsService.GetIncident', { incidentID: room.incidentID });
    // What other clients said of it leads the card.
    await call('ActivityService.QueryActivity', { query: { incidentID: room.incidentID, orderDirection: 'DESC' } });
    const text = `Incident ${room.incidentID}: ${incident?.title}`;
    if (shown.get(room.incidentID) === text) continue;
    shown.set(room.incidentID, text);
    const blocks = [{ type: 'section', text: { type: 'mrkdwn', text } } as const];
    await Promise.all([
      app.client.chat.update({ channel: room.channelId, ts: room.cardTs, text, blocks }),
      app.client.chat.update({ channel: room.announcementChannelId, ts: room.announcementTs, text, blocks }),
    ]);
  } while (mine.again);
  rendering.delete(room.incidentID);
}

async function call(method: string, input: unknown): Promise<{ incident?: { title: string } }> {
  const response = await fetch(`${GRAFANA_URL}/api/plugins/grafana-irm-app/resources/api/v1/${method}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${GRAFANA_TOKEN}` },
    body: JSON.stringify(input),
  });
  return (await response.json()) as { incident?: { title: string } };
}

await app.start({ port: Number(PORT), host: '127.0.0.1' });
process.once('SIGTERM', () => process.exit());
