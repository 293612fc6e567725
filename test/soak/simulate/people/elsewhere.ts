import type { BotTables } from '../../../../src/bot/schema/tables.ts';
import { createClient } from '../../../../src/client/client.ts';
import type { IncidentPreview } from '../../../../src/contract/incidents.ts';
import { deadlines } from '../../../../src/deadlines.ts';
import { Random } from '../random.ts';
import type { World } from '../world.ts';

/** A change of an incident that another client of the API made. */
export interface ForeignChange {
  readonly incidentID: number;
  /** In milliseconds since the epoch, by the clock of the API. */
  readonly at: number;
  /**
   * Whether the incident had its room before, and Muster had taken down what the room knows: only what differs from that is told. The
   * first card of a room shows what was changed before.
   */
  readonly isTelling: boolean;
}

/** A note that another client of the API wrote, and whether it took it away again. */
export interface ForeignNote {
  readonly activityItemID: string;
  readonly body: string;
  isRemoved: boolean;
}

const severities = ['minor', 'major', 'critical'];

/** What another client does. */
const ways = ['severity', 'severity', 'status', 'status', 'title', 'label', 'unlabel', 'note', 'unnote'] as const;

/** Another client of the API, such as a page of it: it changes incidents, and neither Slack nor Muster has any part in it. */
export class Elsewhere {
  readonly changes: ForeignChange[] = [];
  readonly notes: (ForeignNote & { readonly incidentID: string })[] = [];
  readonly #world: Pick<World, 'time' | 'history' | 'actingUntil' | 'botDatabase' | 'databaseQueue'>;
  readonly #api: ReturnType<typeof createClient>;
  readonly #random: Random;
  #count = 0;

  constructor(
    world: Pick<World, 'seed' | 'answerApi' | 'time' | 'history' | 'actingUntil' | 'botDatabase' | 'databaseQueue'>,
  ) {
    this.#world = world;
    this.#api = createClient({ ...deadlines.api, transport: world.answerApi });
    this.#random = new Random(world.seed, 'elsewhere');
  }

  /** Works until people stop acting. */
  async work(): Promise<void> {
    const { time, actingUntil } = this.#world;
    for (;;) {
      await time.pause(this.#random.whole(200, this.#random.pick([2000, 15_000])));
      if (time.now() >= actingUntil) return;
      const query = { limit: 100, orderField: 'modifiedTime', orderDirection: 'DESC' } as const;
      const { incidentPreviews } = await this.#api.IncidentsService.QueryIncidentPreviews({ query });
      if (incidentPreviews.length > 0) await this.#changeOne(this.#random.pick(incidentPreviews));
    }
  }

  /** Resolves the incidents that go on and have such a title. */
  async end(isWanted: (title: string) => boolean): Promise<void> {
    const { incidentPreviews } = await this.#api.IncidentsService.QueryIncidentPreviews({ query: { limit: 100 } });
    for (const each of incidentPreviews)
      if (each.status === 'active' && isWanted(each.title)) await this.#changeOne(each, 'status');
  }

  async #changeOne(incident: IncidentPreview, way = this.#random.pick(ways)): Promise<void> {
    const { time, history } = this.#world;
    const { incidentID } = incident;
    const isTelling = await this.#isTelling(incidentID);
    const what = await this.#do(way, incident);
    if (what === undefined) return;
    this.changes.push({ incidentID: Number(incidentID), at: time.now(), isTelling });
    history.add('elsewhere', `${what} of incident ${incidentID}`);
  }

  /** Makes one change; returns it in words, and undefined when there was none to make. */
  async #do(way: (typeof ways)[number], incident: IncidentPreview): Promise<string | undefined> {
    const { incidentID, title, status } = incident;
    const { IncidentsService, ActivityService } = this.#api;
    this.#count += 1;
    switch (way) {
      case 'severity': {
        const severity = this.#random.pick(severities);
        await IncidentsService.UpdateSeverity({ incidentID, severity });
        return `sets the severity ${severity}`;
      }
      case 'status': {
        const next = status === 'resolved' ? 'active' : 'resolved';
        await IncidentsService.UpdateStatus({ incidentID, status: next });
        return `sets the status ${next}`;
      }
      case 'title': {
        const next = `${title.split(' ', 1)[0]} renamed ${this.#count} times`;
        await IncidentsService.UpdateTitle({ incidentID, title: next });
        return `sets the title “${next}”`;
      }
      case 'label': {
        const label = this.#random.pick(['storage', 'network']);
        await IncidentsService.AddLabel({ incidentID, label: { label } });
        return `adds the label ${label}`;
      }
      case 'unlabel': {
        const label = this.#random.pick(['storage', 'network']);
        if (!incident.labels.some(each => each.label === label)) return undefined;
        await IncidentsService.RemoveLabel({ incidentID, label });
        return `removes the label ${label}`;
      }
      case 'note': {
        const body = `foreign note ${this.#count}`;
        const note = { incidentID, activityKind: 'userNote' as const, body, eventTime: '' };
        const { activityItem } = await ActivityService.AddActivity(note);
        this.notes.push({ incidentID, activityItemID: activityItem.activityItemID, body, isRemoved: false });
        return `adds a note to the timeline`;
      }
      case 'unnote': {
        const note = this.notes.find(each => each.incidentID === incidentID && !each.isRemoved);
        if (!note) return undefined;
        note.isRemoved = true;
        await ActivityService.RemoveActivity({ incidentID, activityItemID: note.activityItemID });
        return `removes a note from the timeline`;
      }
    }
  }

  #isTelling(incidentID: string): Promise<boolean> {
    const { botDatabase, databaseQueue } = this.#world;
    return databaseQueue.run(async () => {
      const db = botDatabase.as<BotTables>();
      const known = await db
        .selectFrom('bot_known_state')
        .innerJoin('bot_room', 'bot_room.incident_id', 'bot_known_state.incident_id')
        .select('state')
        .where('bot_known_state.incident_id', '=', incidentID)
        .where('channel_id', '!=', '')
        .executeTakeFirst();
      return known !== undefined && known.state !== '';
    });
  }
}
