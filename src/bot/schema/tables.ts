import type { AccountTable } from './accounts.ts';
import type { ChannelMemberTable, ChannelTable } from './channels.ts';
import type { DeliveryTable } from './deliveries.ts';
import type { DraftTable } from './drafts.ts';
import type { GreetingTable } from './greetings.ts';
import type { IncidentTable } from './incidents.ts';
import type { IntentTable } from './intents.ts';
import type { LineTable } from './lines.ts';
import type { NextStepsTable } from './next-steps.ts';
import type { OutageTable } from './outages.ts';
import type { PersonTable } from './people.ts';
import type { RoomTable } from './rooms.ts';
import type { SightingTable } from './sightings.ts';
import type { PollTable, ToldTable } from './sync.ts';
import type { TaskTable } from './tasks.ts';
import type { UpdateTable } from './updates.ts';

/** The bot's own tables. */
export type BotTables = {
  bot_account: AccountTable;
  bot_channel: ChannelTable;
  bot_channel_member: ChannelMemberTable;
  bot_delivery: DeliveryTable;
  bot_draft: DraftTable;
  bot_greeting: GreetingTable;
  bot_incident: IncidentTable;
  bot_intent: IntentTable;
  bot_line: LineTable;
  bot_next_steps: NextStepsTable;
  bot_outage: OutageTable;
  bot_person: PersonTable;
  bot_poll: PollTable;
  bot_room: RoomTable;
  bot_sighting: SightingTable;
  bot_task: TaskTable;
  bot_told: ToldTable;
  bot_update: UpdateTable;
};
