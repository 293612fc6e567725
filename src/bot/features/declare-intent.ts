import { z } from 'zod';
import { Incident } from '../../contract/incidents.ts';
import { said, section } from '../blocks.ts';
import { defineIntent } from '../journal/intent.ts';
import { makeRoom, roomMention } from '../room.ts';
import type { Turn } from '../turn.ts';

/** What a declaration says, checked. `startedAt` is RFC 3339 or `""` for now. */
export const Declaration = z.object({
  title: z.string(),
  severity: z.string(),
  labels: z.array(z.string()),
  isDrill: z.boolean(),
  isResolved: z.boolean(),
  startedAt: z.string(),
  attachURL: z.string(),
  attachCaption: z.string(),
  takeCommand: z.boolean(),
  makeChannel: z.boolean(),
  isPrivate: z.boolean(),
  commanderID: z.string(),
  roomPrefix: z.string(),
});
/** What a declaration says, checked. */
export type Declaration = z.output<typeof Declaration>;

/** Declares an incident with all that was said of it; its room follows. */
export const declareIncident = defineIntent({
  kind: 'incident.declare',
  payload: Declaration,
  result: z.object({ incident: Incident, troubles: z.array(z.string()) }),
  run: async ({ api, call, log }, wish) => {
    const { incident } = await api.IncidentsService.CreateIncident(
      {
        title: wish.title,
        severity: wish.severity,
        labels: wish.labels.map(label => ({ label })),
        roomPrefix: wish.roomPrefix,
        isDrill: wish.isDrill,
        status: wish.isResolved ? 'resolved' : 'active',
        attachCaption: wish.attachCaption,
        attachURL: wish.attachURL,
      },
      call,
    );
    const incidentID = incident.incidentID;
    const troubles: string[] = [];
    /** The incident exists from here on: what fails now is said, and never makes it look undeclared. */
    const also = async (what: string, work: () => Promise<unknown>) => {
      try {
        await work();
      } catch (error) {
        log.warn({ err: error, incident: incidentID }, 'a part of the declaration failed');
        troubles.push(what);
      }
    };
    if (wish.startedAt) {
      await also('The start time could not be set.', () =>
        api.IncidentsService.UpdateIncidentEventTime(
          { incidentID, activityItemKind: 'incidentStart', eventTime: wish.startedAt },
          call,
        ),
      );
    }
    if (wish.takeCommand) {
      await also('You could not be made commander: `/role assign me commander` tries again.', () =>
        api.IncidentsService.AssignRole({ incidentID, userID: wish.commanderID, role: 'commander' }, call),
      );
    }
    const whole = await api.IncidentsService.GetIncident({ incidentID }, call).catch(() => ({ incident }));
    return { incident: whole.incident, troubles };
  },
  aim: wish => `declare “${wish.title}”`,
  done: ({ incident }, _wish, repeated) => {
    const text = repeated
      ? `Incident ${incident.incidentID} is declared already: “${said(incident.title)}”. Nothing was declared twice.`
      : `:rotating_light: Incident ${incident.incidentID} is declared${incident.isDrill ? ' (a drill)' : ''}: “${said(incident.title)}”, severity ${said(incident.severity, 60)}.`;
    return { text, blocks: [section(text)] };
  },
  follow: async (aftermath, { incident, troubles }, wish) => {
    if (aftermath.repeated) {
      const where = roomMention(await aftermath.desk.rooms.ofIncident(incident.incidentID));
      return { notes: where ? [`It is handled in ${where}.`] : [], troubles: [] };
    }
    const made = await makeRoom(aftermath, incident, {
      makeChannel: wish.makeChannel,
      isPrivate: wish.isPrivate,
      invite: [aftermath.actor.userId],
    });
    const where = roomMention(made.room);
    return {
      notes: where ? [`${where} is its channel, and you are invited.`] : [],
      troubles: [...troubles, ...made.troubles],
    };
  },
});

/** Declares in the name of whoever acts, and answers. */
export async function declareAs(turn: Turn, wish: Declaration): Promise<void> {
  const { userID } = await turn.desk.people.toKnown(turn.actor);
  await turn.carryOut(declareIncident, { ...wish, commanderID: userID });
}
