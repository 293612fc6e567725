import { type AlertLink, alertLengths } from '../../incident/state/alert-group.ts';
import { toMoment } from './clean.ts';

const hour = 3_600_000;

/**
 * The address of a link, with its window fixed around the start of the alert, one hour before it and one after: a relative window has moved
 * on when a person opens it later. It knows the dashboards and panels of Grafana, and the graphs of Prometheus, which a rule's address shows.
 * Any other address is as it was, and so is every one where the start is unknown or the window is fixed already.
 */
export function withWindow({ what, url }: AlertLink, startedAt: string): string {
  const isBoard = what === 'dashboard' || what === 'panel';
  if (!isBoard && what !== 'rule') return url;
  const start = Date.parse(toMoment(startedAt));
  const end = Number.isNaN(start) ? '' : toMoment(new Date(start + hour).toISOString());
  const parsed = URL.parse(url);
  if (end === '' || start < hour || parsed === null) return url;
  const windowed = isBoard ? ofGrafana(parsed, url, start) : ofPrometheus(parsed, url, end);
  return windowed.length <= alertLengths.url && URL.canParse(windowed) ? windowed : url;
}

function ofGrafana({ pathname, searchParams }: URL, url: string, start: number): string {
  const isFixed = ['from', 'to'].every(name => /^\d/.test(searchParams.get(name) ?? ''));
  if (isFixed || !/\/d(-solo)?\/[^/]+/.test(pathname)) return url;
  return withParameters(url, { from: `${start - hour}`, to: `${start + hour}` });
}

/** The graph, not the table, which shows one moment alone. Its end is UTC, as in `2026-01-31 12:00:00`. */
function ofPrometheus({ pathname, searchParams }: URL, url: string, end: string): string {
  if (!/\/(graph|query)$/.test(pathname) || !searchParams.has('g0.expr') || searchParams.has('g0.end_input'))
    return url;
  return withParameters(url, {
    'g0.tab': '0',
    'g0.range_input': '2h',
    'g0.end_input': end.slice(0, 19).replace('T', '%20'),
  });
}

/** Sets parameters of a query. The others stay as they are written: programs differ in how they read a plus or a bracket. */
function withParameters(url: string, wanted: Readonly<Record<string, string>>): string {
  const [address = '', ...hash] = url.split('#');
  const [path = '', ...query] = address.split('?');
  const others = query
    .join('?')
    .split('&')
    .filter(each => each !== '' && ![...new URLSearchParams(each).keys()].some(name => Object.hasOwn(wanted, name)));
  const all = [...others, ...Object.entries(wanted).map(([name, value]) => `${name}=${value}`)].join('&');
  return [`${path}?${all}`, ...hash].join('#');
}
