import { noteSigns } from '../../contract/note-forms.ts';

/*
 * The one vocabulary of signs. A sign always comes with its word, so that no reader has to see or know it. docs/glossary.md, Signs has
 * them all; no other file of the bot writes one.
 */

/** Signs of severities from grave to mild. The mildest one of the team means "not yet known", and has a sign of its own. */
const graveFirst = ['🔴', '🟠', '🟡'] as const;
const notYetKnown = '⚪';

/** Sign of a severity by its position in the team's severities, which go from mild to grave; `""` for one that the team lacks. */
export function severitySign(severities: readonly string[], severity: string): string {
  const wanted = severity.toLowerCase();
  const at = severities.findIndex(each => each.toLowerCase() === wanted);
  if (at < 0) return '';
  return at === 0 ? notYetKnown : (graveFirst[severities.length - 1 - at] ?? '🟡');
}

/** The colours of those signs, by sign. */
const severityColors: Readonly<Record<string, string>> = {
  '🔴': '#d1242f',
  '🟠': '#e8710a',
  '🟡': '#e3b341',
  [notYetKnown]: '#8b949e',
};
const resolvedColor = '#2da44e';
const mistakeColor = '#8b949e';

/**
 * Colour (`#rrggbb`) of the bar along an incident's card: that of its severity's sign, green once it is resolved, or grey when it was
 * declared by mistake. It repeats what the headline says in words.
 */
export function incidentColor(
  severities: readonly string[],
  incident: { severity: string; status: string },
  isMistake = false,
): string {
  if (isMistake) return mistakeColor;
  if (incident.status === 'resolved') return resolvedColor;
  const sign = severitySign(severities, incident.severity) || notYetKnown;
  return severityColors[sign] ?? resolvedColor;
}

/** What happens to an incident. */
export const incidentSigns = {
  declared: '🚨',
  ...noteSigns,
  resolved: '✅',
  reopened: '🔁',
  drill: '🧪',
  /** The API does not know it yet, or does not answer. */
  waiting: '⏳',
  link: '🔗',
} as const;

/** What people do, and what Muster says of it. */
export const signs = {
  note: ':memo:',
  important: '❗',
  added: ':heavy_plus_sign:',
  changed: ':pencil2:',
  removed: ':wastebasket:',
  undone: ':leftwards_arrow_with_hook:',
  /** A person gets or loses a role or a task. */
  person: ':bust_in_silhouette:',
  label: ':label:',
  time: ':clock3:',
  dashboard: ':bar_chart:',
  record: ':page_facing_up:',
  /** The end of a channel. */
  archive: ':card_file_box:',
  private: ':lock:',
  elsewhere: '📡',
  /** Monitoring says something. */
  alert: '🔔',
  muted: '🔕',
  /** People are called, or woken by the team’s pager. */
  call: '📟',
  coming: '✓',
  cannot: '✗',
  /** Something is owed, and when. */
  owed: ':alarm_clock:',
  /** Something that was queued, or a check. */
  done: '☑️',
  info: ':information_source:',
  warning: ':warning:',
  /** A check that fails, or an act that was not possible. */
  fails: ':x:',
  unknown: ':grey_question:',
} as const;

/** The states of a task. */
export const taskSigns = { todo: '⬜', progress: '▶️', done: signs.done } as const;
