import { isUnread, type RpcError } from '../../../contract/errors.ts';
import { slackLimits } from '../../slack/limits.ts';
import { incidentSigns } from '../../text/signs.ts';
import { cap, toOneLine } from '../../text/words.ts';
import { DeclaredIncident } from '../state/declared-incident.ts';
import type { IncidentSummary } from '../state/snapshots.ts';
import { stateWords, unregisteredState } from '../state/state-words.ts';
import type { IncidentDeps } from './intent-kind.ts';

/** The incidents among which a person chooses, newest first: those that go on, and those that are over. */
interface IncidentChoices {
  /** Declared, and not known to the API yet. */
  readonly unregistered: readonly DeclaredIncident[];
  readonly active: readonly IncidentSummary[];
  readonly resolved: readonly IncidentSummary[];
}

/** The incidents that are declared and that the API does not know yet, newest first. */
export async function readUnregistered({ journal }: IncidentDeps): Promise<readonly DeclaredIncident[]> {
  const waiting = await journal.unregistered();
  return waiting.flatMap(({ subject, payload }) => {
    const declared = DeclaredIncident.omit({ incidentID: true }).safeParse(payload);
    return declared.success ? [{ ...declared.data, incidentID: subject }] : [];
  });
}

/**
 * The incidents among which a person chooses, at most so many of either state: from the API, or from snapshots while it cannot be
 * reached. Throws the RpcError when there is none of them.
 */
export async function readChoices(
  deps: IncidentDeps,
  most: { readonly active: number; readonly resolved: number },
): Promise<IncidentChoices> {
  const unregistered = await readUnregistered(deps);
  const of = async (status: 'active' | 'resolved', limit: number) => {
    if (limit === 0) return [];
    const order = { orderField: 'modifiedTime' as const, orderDirection: 'DESC' as const };
    const query = { limit, ...order, queryString: `status:${status}` };
    const { QueryIncidentPreviews } = deps.api.IncidentsService;
    return (await QueryIncidentPreviews({ query }, { budget: deps.deadlines.reads.aside })).incidentPreviews;
  };
  try {
    const [active, resolved] = await Promise.all([of('active', most.active), of('resolved', most.resolved)]);
    return { unregistered, active, resolved };
  } catch (error) {
    if (!isUnread(error)) throw error;
    return { unregistered, ...(await fromSnapshots(deps, most, error, unregistered.length > 0)) };
  }
}

async function fromSnapshots(
  { snapshots, log }: IncidentDeps,
  most: { readonly active: number; readonly resolved: number },
  error: RpcError,
  mayBeEmpty: boolean,
): Promise<Omit<IncidentChoices, 'unregistered'>> {
  const latest = (await snapshots.latest(mostRemembered)).map(each => each.summary);
  if (latest.length === 0 && !mayBeEmpty) throw error;
  log.warn({ err: error }, 'incidents: the API is away, showing snapshots');
  const isOver = ({ status }: IncidentSummary) => status === 'resolved';
  return {
    active: latest.filter(each => !isOver(each)).slice(0, most.active),
    resolved: latest.filter(isOver).slice(0, most.resolved),
  };
}

/** Snapshots among which the active incidents are looked for. */
const mostRemembered = 100;

/** An incident as a menu offers it, in plain text. */
export interface IncidentOption {
  readonly value: string;
  readonly label: string;
  readonly description: string;
}

/** The incidents as options of a menu: those that go on, then those that are over. */
export function toOptions(
  { unregistered, active, resolved }: IncidentChoices,
  severities: readonly string[],
  now: Date,
): { readonly ongoing: readonly IncidentOption[]; readonly over: readonly IncidentOption[] } {
  const toOption = (each: IncidentSummary): IncidentOption => ({
    value: each.incidentID,
    label: cap(toOneLine(`#${each.incidentID} ${drillMark(each)}${each.title}`), slackLimits.optionText),
    description: stateWords(each, severities, now),
  });
  const waiting = unregistered.map(each => ({
    value: each.incidentID,
    label: cap(toOneLine(`${drillMark(each)}${each.title}`), slackLimits.optionText),
    description: unregisteredState(each, now),
  }));
  return { ongoing: [...waiting, ...active.map(toOption)], over: resolved.map(toOption) };
}

function drillMark({ isDrill }: { readonly isDrill: boolean }): string {
  return isDrill ? `${incidentSigns.drill} Drill · ` : '';
}
