import type { AlertTable } from '../../schema/alerts.ts';
import { toMrkdwn } from '../../text/blocks.ts';
import { signs } from '../../text/signs.ts';
import { formatDuration, toSlackDate } from '../../text/times.ts';
import { AlertGroup } from '../state/alert-group.ts';
import type { NewLine } from './outbox.ts';

/** News of the alerts of an incident. */
export interface ToldAlert {
  readonly what: 'joined' | 'grew' | 'still' | 'again' | 'ended';
  readonly offer: string;
  readonly group: AlertTable;
  /** How many alerts more the group has. */
  readonly more: number;
}

/** Alerts that a line names; the others are counted. */
const named = 5;

/** The line in the room about it. `isOver`: the incident is resolved. `among`: the incident has other groups. */
export function alertLine(
  incidentID: string,
  { what, offer, group, more }: ToldAlert,
  { now, isOver, among }: { readonly now: Date; readonly isOver: boolean; readonly among: boolean },
): NewLine {
  const told = AlertGroup.parse(JSON.parse(group.told));
  const name = `*${toMrkdwn(told.title, 150)}*`;
  const by = toMrkdwn(group.source, 40);
  const base = { incidentID, actor: '', askedAt: now, doneAt: now };
  const of = `${offer}/${what}`;
  const alone = { ...base, isAlone: true, isUrgent: true };
  switch (what) {
    case 'ended': {
      const which = among ? 'The alerts ended' : 'The alert ended';
      const at = toSlackDate(new Date(told.endedAt || group.ended_at));
      const words = `${signs.alert} *${which}* ${at} after ${formatDuration(lengthOf(group, told))} – ${by}`;
      const offers = isOver ? ({} as const) : ({ offers: 'resolve' } as const);
      return { ...alone, ...offers, id: `${of}/${group.first_at}`, words };
    }
    case 'again': {
      const words = `${signs.alert} *The alert fires again*: ${toMrkdwn(told.title, 150)} – ${by}`;
      const offers = isOver ? ({ offers: 'reopen' } as const) : ({} as const);
      return { ...alone, ...offers, id: `${of}/${group.first_at}`, words };
    }
    case 'joined':
      return {
        ...base,
        id: `${of}/${group.id}/${group.first_at}`,
        words: `${signs.alert} ${name} fires too – ${by}`,
        isAlone: false,
      };
    case 'grew': {
      const names = told.alerts.filter(each => each.state === 'firing').slice(0, named);
      const rest = told.firing - names.length;
      const list = names.map(each => toMrkdwn(each.name, 100)).join(', ');
      const words = `${signs.alert} ${more} more ${more === 1 ? 'alert' : 'alerts'} of ${name}: ${list}${rest > 0 ? ` and ${rest} more` : ''} – ${by}`;
      return { ...base, id: `${of}/${group.id}/${group.newest_at}`, words, isAlone: false };
    }
    case 'still': {
      const words = `${signs.alert} ${name} still fires, after ${group.times} notices – ${by}`;
      return { ...base, id: `${of}/${group.id}/${group.newest_at}`, words, isAlone: false };
    }
  }
}

/** How long a group fired, in seconds: by the tool's clock where it tells both moments. */
function lengthOf(group: AlertTable, told: AlertGroup): number {
  const [from, to] = told.startedAt && told.endedAt ? [told.startedAt, told.endedAt] : [group.first_at, group.ended_at];
  return Math.max(0, (new Date(to).getTime() - new Date(from).getTime()) / 1000);
}
