import { z } from 'zod';
import {
  type Alert,
  type AlertGroup,
  type AlertLink,
  alertLengths as lengths,
  maxAlertLabels,
  maxNamedAlerts,
} from '../../incident/state/alert-group.ts';
import { cap, toLines, toOneLine } from '../../text/words.ts';
import { UnreadableAlert } from './unreadable.ts';

/** Most alerts of one body that are looked at. A tool that sends more says how many it left out. */
const maxAlerts = 1000;

const words = z.string().catch('');
const texts = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean()]).transform(String).catch(''))
  .catch({});
/** A moment; Go's zero time says that there is none. */
const moment = z
  .string()
  .refine(text => !text.startsWith('0001-') && !Number.isNaN(Date.parse(text)))
  .transform(text => new Date(text).toISOString())
  .catch('');

const ToolAlert = z.object({
  status: z.enum(['firing', 'resolved']).catch('firing'),
  labels: texts,
  annotations: texts,
  startsAt: moment,
  endsAt: moment,
  generatorURL: words,
  fingerprint: words,
  // Grafana's own.
  silenceURL: words,
  dashboardURL: words,
  panelURL: words,
  valueString: words,
  values: z.record(z.string(), z.unknown()).nullish().catch(undefined),
});
type ToolAlert = z.output<typeof ToolAlert>;

/** What Prometheus Alertmanager sends (version 4 of its webhook), and Grafana Alerting, which adds members of its own. */
const Body = z.object({
  groupKey: words,
  status: z.enum(['firing', 'resolved']).optional().catch(undefined),
  truncatedAlerts: z.number().int().nonnegative().catch(0),
  groupLabels: texts,
  commonLabels: texts,
  commonAnnotations: texts,
  externalURL: words,
  alerts: z.array(ToolAlert).min(1).max(maxAlerts),
});

/** Labels in which tools say how bad it is, in their order. */
const severityLabels = ['severity', 'priority', 'level', 'criticality', 'urgency'];

/** Reads a body of Alertmanager or of Grafana Alerting. Throws an {@link UnreadableAlert}. */
export function readAlertmanager(body: unknown): AlertGroup {
  const read = Body.safeParse(body);
  if (!read.success) throw new UnreadableAlert(whyNot(body));
  const { groupKey, groupLabels, commonLabels, commonAnnotations, externalURL, truncatedAlerts, alerts } = read.data;
  const [first] = alerts;
  const key = groupKey || (alerts.length === 1 ? (first?.fingerprint ?? '') : '');
  if (key === '' || first === undefined)
    throw new UnreadableAlert('groupKey is missing, and so is the fingerprint of a single alert.');
  const firing = alerts.filter(each => each.status === 'firing');
  const ended = alerts.filter(each => each.status === 'resolved');
  const isOver = read.data.status ? read.data.status === 'resolved' : firing.length === 0;
  const labels = Object.keys(commonLabels).length > 0 ? commonLabels : first.labels;
  const notes = Object.keys(commonAnnotations).length > 0 ? commonAnnotations : first.annotations;
  return {
    key: key.slice(0, lengths.key),
    state: isOver ? 'resolved' : 'firing',
    title: toTitle({ groupLabels, labels, notes }, first),
    severity: toText(severityLabels.map(name => labels[name]).find(Boolean), lengths.severity),
    summary: toSummary(notes),
    startedAt: startsOf(alerts)[0] ?? '',
    newestStartAt: startsOf(isOver ? alerts : firing).at(-1) ?? '',
    endedAt: isOver
      ? (alerts
          .map(each => each.endsAt)
          .toSorted()
          .at(-1) ?? '')
      : '',
    labels: toLabels(labels),
    links: toLinks(firing[0] ?? first, notes, externalURL),
    alerts: [...firing, ...ended].slice(0, maxNamedAlerts).map(toAlert),
    firing: firing.length + (isOver ? 0 : truncatedAlerts),
    resolved: ended.length + (isOver ? truncatedAlerts : 0),
  };
}

/** When they began, oldest first. */
function startsOf(alerts: readonly ToolAlert[]): readonly string[] {
  return alerts
    .map(each => each.startsAt)
    .filter(each => each !== '')
    .toSorted();
}

/** Why a body is none of those tools', by the member that is wrong. */
function whyNot(body: unknown): string {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return 'The body is no JSON object.';
  const alerts = Reflect.get(body, 'alerts');
  if (alerts === undefined) return 'alerts is missing: Alertmanager and Grafana send a list of them.';
  if (!Array.isArray(alerts)) return 'alerts is no list.';
  if (alerts.length === 0) return 'alerts is empty.';
  if (alerts.length > maxAlerts) return `alerts has ${alerts.length} alerts, and ${maxAlerts} are the most.`;
  return 'alerts has something that is no alert.';
}

type Texts = Readonly<Record<string, string>>;

function toTitle(
  { groupLabels, labels, notes }: { readonly groupLabels: Texts; readonly labels: Texts; readonly notes: Texts },
  first: ToolAlert,
): string {
  const group = Object.values(groupLabels).filter(each => each !== '');
  const named = labels.alertname ?? labels.rulename;
  const title = named || group.join(' ') || notes.summary || first.labels.alertname || 'An alert';
  return toText(title, lengths.title);
}

function toSummary({ summary = '', description = '', message = '' }: Texts): string {
  const said = [summary, description || message].map(each => toLines(each).trim()).filter(each => each !== '');
  return cap([...new Set(said)].join('\n'), lengths.summary);
}

function toLabels(labels: Texts): Texts {
  const some = Object.entries(labels).filter(([name, value]) => name !== 'alertname' && value !== '');
  return Object.fromEntries(
    some.slice(0, maxAlertLabels).map(([name, value]) => [toText(name, lengths.label), toText(value, lengths.label)]),
  );
}

function toLinks(alert: ToolAlert, notes: Texts, externalURL: string): AlertLink[] {
  const found: readonly (readonly [AlertLink['what'], string | undefined])[] = [
    ['runbook', notes.runbook_url ?? alert.annotations.runbook_url],
    ['panel', alert.panelURL],
    ['dashboard', alert.dashboardURL],
    ['rule', alert.generatorURL],
    ['silence', alert.silenceURL],
    ['tool', externalURL],
  ];
  return found.flatMap(([what, url = '']) => (isOfWeb(url) ? [{ what, url }] : []));
}

/** Whether an address is one that a browser opens from a link. */
export function isOfWeb(url: string): boolean {
  return url.length <= lengths.url && /^https?:\/\/[^\s]+$/i.test(url) && URL.canParse(url);
}

function toAlert({ labels, annotations, status, startsAt, values, valueString }: ToolAlert): Alert {
  const name = annotations.summary || instanceOf(labels) || labels.alertname || 'An alert';
  const measured = Object.entries(values ?? {}).map(([at, value]) => `${at}=${String(value)}`);
  const value = measured.length > 0 ? measured.join(', ') : valueString;
  return { name: toText(name, lengths.name), state: status, startedAt: startsAt, value: toText(value, lengths.value) };
}

/** The labels that tell an alert from the others of its group. */
function instanceOf({ instance, pod, service, job }: Texts): string {
  return [service ?? job, pod ?? instance].filter(Boolean).join(' ');
}

function toText(text: string | undefined, most: number): string {
  return cap(toOneLine(text ?? ''), most);
}
