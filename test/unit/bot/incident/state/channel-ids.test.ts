import { expect, test } from 'vitest';
import { ChannelStore } from '../../../../../src/bot/incident/state/channels.ts';
import { movedChannel } from '../../../../../src/bot/schema/sightings.ts';
import { botTables } from '../../../../../src/bot/schema/tables.ts';
import { openBotDatabase } from '../../../../support/fresh-database.ts';
import { readTable } from '../../../../support/table.ts';

/**
 * Columns of text that hold no id of a channel, by table. Some are words of people or of the API, in which Slack or the API resolves what they
 * name. A column of a new step stands here, or follows a channel to its new id (`ChannelStore.columns`).
 */
const others = readTable(
  'table | columns',
  `
  bot_account       | team_id user_id match_user_id matched_by claimed_user_id claimed_name
  bot_alert         | id source offer state told severity newest_start ended gravest print others
  bot_alert_offer   | id source state owes incident_id intent actor after services moved_to gravest
  bot_found         | incident_id created_time burst state
  bot_call          | id incident_id chain targets state caller why line
  bot_called        | call_id user_id target answer ts
  bot_channel       | team_id name post_refusal
  bot_channel_member | team_id user_id
  bot_delivery      | key kind state lease_owner
  bot_draft         | id team_id user_id created_at
  bot_duty          | id incident_id kind about audience user_id state ts passed_to
  bot_greeting      | team_id user_id greeted_at
  bot_incident      | incident_id snapshot
  bot_intent        | key id kind subject lane owner caller state lease_owner tell created_at changed_at
  bot_line          | id incident_id actor undone_by message ts act place thread audience offers
  bot_message_note  | intent_id team_id ts activity_item_id followed_by removed_by
  bot_next_steps    | incident_id resolution ts shown problem
  bot_outage        | incident_id line_id
  bot_page          | id incident_id pager why actor state acknowledged_by who trouble
  bot_person        | team_id user_id home_team_id name time_zone
  bot_process       | owner
  bot_room          | incident_id team_id channel_name card_ts announcement_ts created_at lease_owner card_shown
  bot_room          | announcement_shown topic_shown declared_by receipts written burst reminders
  bot_sighting      | name seen_at
  bot_known_state   | incident_id state
  bot_poll          | name since modified_time
  bot_task          | incident_id task_id
  bot_update        | activity_item_id incident_id text given_by kind api_summary
  bot_visit         | incident_id user_id
  backup            | made_at
`,
);

const { columns: channelColumns } = ChannelStore;
const textColumns = botTables.flatMap(({ name, columns }) =>
  Object.entries<{ type: string }>(columns).flatMap(([column, { type }]) =>
    type === 'text' ? [`${name}.${column}`] : [],
  ),
);
const following = Object.entries(channelColumns).flatMap(([table, { ids, texts = [] }]) =>
  [...ids, ...texts].map(column => `${table}.${column}`),
);

test('each column of text holds the id of a channel and follows it, or holds none', () => {
  const none = others.flatMap(({ table = '', columns = '' }) => columns.split(' ').map(column => `${table}.${column}`));
  expect([...none, ...following].toSorted()).toEqual(textColumns.toSorted());
});

test('all that is stored of a channel gets its new id, in columns and in texts, and nothing of others does', async () => {
  const database = await openBotDatabase(new Date());
  const [before, after, other] = ['C0OLD00001', 'C0NEW00001', 'C0OLD000012'];
  const texts = (id: string) => `{"channelId":"${id}"} <#${id}> <#${id}|room> https://x.slack.com/archives/${id}/p1`;
  const db = database.as<Record<string, Record<string, unknown>>>();
  // A message's note belongs to an intent.
  const tables = botTables.filter(({ name }) => name in channelColumns);
  tables.sort((one, another) => Number(one.name === 'bot_message_note') - Number(another.name === 'bot_message_note'));
  for (const id of [before, other])
    for (const { name, columns } of tables) {
      const { ids = [], texts: inside = [] } = channelColumns[name] ?? {};
      const value = (column: string, type: string) =>
        ids.includes(column) ? id : inside.includes(column) ? texts(id) : type === 'text' ? `${id}!` : 1;
      const row = Object.entries<{ type: string }>(columns).map(([column, { type }]) => [column, value(column, type)]);
      const own = name === 'bot_channel' || name === 'bot_channel_member' ? { team_id: 'T1' } : {};
      const seq = name === 'bot_line' ? { seq: id === before ? 1 : 2 } : {};
      await db
        .insertInto(name)
        .values({ ...Object.fromEntries(row), ...own, ...seq })
        .execute();
    }
  await new ChannelStore(database, 'T1').follow(before, after, 0);
  for (const { name } of tables) {
    const { ids, texts: inside = [] } = channelColumns[name] ?? { ids: [] };
    const rows = await db.selectFrom(name).selectAll().execute();
    for (const column of ids) expect(rows.map(row => row[column]).toSorted(), name).toEqual([after, other].toSorted());
    for (const column of inside)
      expect(rows.map(row => row[column]).toSorted(), name).toEqual([texts(after), texts(other)].toSorted());
  }
  const sightings = await db.selectFrom('bot_sighting').select('name').execute();
  expect(sightings.map(each => each.name)).toContain(movedChannel.write(before, after));
});
