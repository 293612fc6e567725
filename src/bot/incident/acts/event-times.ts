import { z } from 'zod';
import type { Incident } from '../../../contract/incidents.ts';
import { toSlackAge, when } from '../../text/shown-times.ts';
import { signs } from '../../text/signs.ts';
import { formatUtc, isAhead, toSlackDate } from '../../text/times.ts';
import { incidentLabel } from '../state/incident-name.ts';
import { defineIntent, type IntentKind, toUndo, type Undo } from './intent-kind.ts';
import { onlyFrom, refuseUnless } from './only-from.ts';

/** The two moments of an incident that people can set (docs/incident-api.md, UpdateIncidentEventTime). */
export const moments = ['incidentStart', 'incidentEnd'] as const;
/** One of {@link moments}. */
export type Moment = (typeof moments)[number];

/**
 * The moment as it can be stored, or a sentence on why it cannot, with times as `show` writes them. The end is never before the start
 * (docs/api-rules.md A6); pickers know whole minutes only, so within the minute of the start the end is the start.
 */
export function checkMoment(
  moment: Moment,
  at: Date,
  incident: Pick<Incident, 'incidentStart' | 'incidentEnd'>,
  now: Date,
  show: (time: Date) => string = formatUtc,
): { readonly at: Date } | { readonly problem: string } {
  if (isAhead(at, now)) {
    return { problem: `${show(at)} is in the future: give a time that has passed.` };
  }
  const time = at > now ? now : at;
  const start = new Date(moment === 'incidentStart' ? time : incident.incidentStart);
  const end = new Date(moment === 'incidentEnd' ? time : incident.incidentEnd);
  if (!(end < start)) return { at: time };
  if (moment === 'incidentEnd' && minuteOf(end) === minuteOf(start)) return { at: start };
  return {
    problem:
      moment === 'incidentEnd'
        ? `The incident started ${show(start)}, so it cannot have ended ${show(end)}.`
        : `The incident ended ${show(end)}, so it cannot have started ${show(start)}.`,
  };
}

function minuteOf(moment: Date): number {
  return Math.floor(moment.getTime() / 60_000);
}

const SetMoment = z.object({
  ...{ incidentID: z.string(), moment: z.enum(moments), at: z.string(), only: onlyFrom },
  /** The time of before as a person saw it, where nothing else of the incident matters: then it is not read again. */
  was: z.string().optional(),
});
const MomentSet = z.object({ was: z.string(), changed: z.boolean(), status: z.string() });

/** An intent that says when an incident started or ended, stored as `kind`. `at` is RFC 3339. */
export function defineMomentIntent(kind: string): IntentKind<z.output<typeof SetMoment>, z.output<typeof MomentSet>> {
  const setMoment = defineIntent<z.output<typeof SetMoment>, z.output<typeof MomentSet>>({
    kind,
    payload: SetMoment,
    result: MomentSet,
    run: async ({ api, call }, { incidentID, moment, at, only, was: known }) => {
      const { UpdateIncidentEventTime, GetIncident } = api.IncidentsService;
      const change = { incidentID, activityItemKind: moment, eventTime: at };
      if (known !== undefined && Date.parse(known) !== Date.parse(at)) {
        await UpdateIncidentEventTime(change, call);
        return { was: known, changed: true, status: 'resolved' };
      }
      const { incident } = await GetIncident({ incidentID }, call);
      const was = incident[moment];
      const changed = Date.parse(was) !== Date.parse(at);
      if (changed) {
        const isAsLeft = only === undefined || Date.parse(was) === Date.parse(only);
        if (!isAsLeft) refuseUnless(was, only, was === '' ? 'none' : formatUtc(new Date(was)));
        await UpdateIncidentEventTime(change, call);
      }
      return { was, changed, status: incident.status };
    },
    // The API knows no way to take away an end that was not set before.
    undo: ({ was, changed }, { incidentID, moment, at }): Undo | undefined =>
      changed && was !== '' ? toUndo(setMoment, { incidentID, moment, at: was, only: at }) : undefined,
    did: ({ incidentID, moment, at }, { result, incident, line }) => {
      const which = moment === 'incidentStart' ? 'start' : 'end';
      if (!result) return { verb: 'set', what: `the ${which} of ${incident} to ${formatUtc(new Date(at))}` };
      const { was, changed, status } = result;
      const [verb, name] = [moment === 'incidentStart' ? 'started' : 'ended', incidentLabel(incidentID, 'Incident')];
      if (!changed) return { fact: `${name} ${verb} ${toSlackDate(new Date(at))} already.`, isUnchanged: true };
      const isActive = moment === 'incidentEnd' && status === 'active';
      const before = was === '' ? '' : `Before: ${when(was)}.`;
      const age = line ? '' : `, ${toSlackAge(new Date(at))}`;
      return {
        ...{ sign: signs.time, verb: 'set', what: `the ${which} of ${incident} to ${toSlackDate(new Date(at))}${age}` },
        more: isActive ? 'It is still active: `/incident resolve` resolves it.' : before,
      };
    },
  });
  return setMoment;
}
