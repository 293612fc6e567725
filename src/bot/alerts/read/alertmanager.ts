import { hash } from 'node:crypto';
import { z } from 'zod';
import { toValueText } from '../../../contract/json-path.ts';
import { trimEnd } from '../../../trim-end.ts';
import {
  type Alert,
  type AlertGroup,
  type AlertLink,
  alertLengths as lengths,
  maxNamedAlerts,
  maxPrints,
} from '../../incident/state/alert-group.ts';
import { leftOut } from './body-head.ts';
import { isOfWeb, toKey, toLabels, toMoment, toSummary, toText } from './clean.ts';
import { gravestOf } from './severity.ts';
import { UnreadableAlert } from './unreadable.ts';

/** Most alerts of one body that are looked at; the rest is counted. */
const maxAlerts = 1000;

/** Most labels or annotations of an alert that are looked at. */
const maxTexts = 200;

type Texts = Readonly<Record<string, string>>;

const words = z.string().catch('');
/** Labels or annotations: no more of them than {@link maxTexts} are looked at. zod’s own records take too long for very many. */
const texts = z
  .unknown()
  .optional()
  .transform((value): Texts => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
    const entries = Object.entries(value).slice(0, maxTexts);
    return Object.fromEntries(entries.map(([name, each]) => [name, toValueText(each) ?? '']));
  });
const moment = z.unknown().optional().transform(toMoment);

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

/** The body of Prometheus Alertmanager (version 4 of its webhook), and of Grafana Alerting, which adds members of its own. */
const Body = z.object({
  groupKey: words,
  status: z.enum(['firing', 'resolved']).optional().catch(undefined),
  truncatedAlerts: z.number().int().nonnegative().catch(0),
  /** Alerts that Muster did not keep of a large body (`body-head.ts`). */
  [leftOut]: z.number().int().nonnegative().catch(0),
  groupLabels: texts,
  commonLabels: texts,
  commonAnnotations: texts,
  externalURL: words,
  /** Grafana’s own. */
  orgId: z.unknown().optional(),
  alerts: z.array(ToolAlert).min(1),
});

/** Labels in which tools say how bad it is, in their order. */
const severityLabels = ['severity', 'priority', 'level', 'criticality', 'urgency'];

/** Reads a body of Alertmanager or of Grafana Alerting. Throws an {@link UnreadableAlert}. */
export function readAlertmanager(body: unknown): AlertGroup {
  const sent =
    typeof body === 'object' && body !== null && 'alerts' in body && Array.isArray(body.alerts) ? body.alerts : [];
  const read = Body.safeParse(sent.length > maxAlerts ? { ...Object(body), alerts: sent.slice(0, maxAlerts) } : body);
  if (!read.success) throw new UnreadableAlert(whyNot(body));
  const { status, groupKey, groupLabels, commonLabels, commonAnnotations, alerts } = read.data;
  const uncounted = read.data.truncatedAlerts + read.data[leftOut] + sent.length - alerts.length;
  const [first] = alerts;
  const key = groupKey || (alerts.length === 1 ? (first?.fingerprint ?? '') : '');
  if (key === '' || first === undefined)
    throw new UnreadableAlert('groupKey is missing, and so is the fingerprint of a single alert.');
  const firing = alerts.filter(each => each.status === 'firing');
  const ended = alerts.filter(each => each.status === 'resolved');
  const isOver = status === 'resolved' || (firing.length === 0 && uncounted === 0);
  const ones = firing.length > 0 ? firing : alerts;
  const [one = first] = ones;
  const labels = Object.keys(commonLabels).length > 0 ? commonLabels : commonOf(alerts.map(each => each.labels));
  const [, ...more] = alerts;
  const notes = more.length > 0 ? commonAnnotations : { ...one.annotations, ...commonAnnotations };
  const severities = [labels, ...ones.map(each => each.labels)].flatMap(
    each => severityLabels.map(name => each[name]).find(Boolean) ?? [],
  );
  return {
    key: toKey(key),
    state: isOver ? 'resolved' : 'firing',
    title: toTitle({ groupLabels, labels, notes }, ones),
    severity: toText(gravestOf(severities), lengths.severity),
    summary: toSummary([notes.summary ?? '', notes.description || notes.message || '', notes.Error ?? '']),
    startedAt: startsOf(alerts)[0] ?? '',
    newestStartAt: startsOf(isOver ? alerts : firing).at(-1) ?? '',
    endedAt: isOver ? (toSorted(alerts.map(each => each.endsAt)).at(-1) ?? '') : '',
    labels: toLabels(Object.entries(labels).filter(([name]) => name !== 'alertname')),
    links: toLinks(one, notes, read.data),
    alerts: [...firing, ...ended]
      .slice(0, maxNamedAlerts)
      .map(each => toAlert(each, more.length > 0 ? { labels, notes } : undefined)),
    firing: firing.length + (isOver ? 0 : uncounted),
    resolved: ended.length + (isOver ? uncounted : 0),
    prints: ones.slice(0, maxPrints).map(toPrint),
    endedPrints: firing.length > 0 ? ended.slice(0, maxPrints).map(toPrint) : [],
  };
}

/** Names an alert whatever group it comes in. Its fingerprint alone does not: other programs that send such bodies may have one for all. */
function toPrint({ fingerprint, labels }: ToolAlert): string {
  return hash('sha256', JSON.stringify([fingerprint, labels]), 'base64url').slice(0, 16);
}

/** When they began, oldest first. */
function startsOf(alerts: readonly ToolAlert[]): readonly string[] {
  return toSorted(alerts.map(each => each.startsAt));
}

function toSorted(moments: readonly string[]): readonly string[] {
  return moments.filter(each => each !== '').toSorted();
}

/** The labels that all alerts have. */
function commonOf([first = {}, ...others]: readonly Texts[]): Texts {
  return Object.fromEntries(
    Object.entries(first).filter(([name, value]) => others.every(each => each[name] === value)),
  );
}

/** Why a body is none of those tools', by the member that is wrong. */
function whyNot(body: unknown): string {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return 'The body is not a JSON object.';
  const alerts = Reflect.get(body, 'alerts');
  if (alerts === undefined) return 'alerts is missing: Alertmanager and Grafana send a list of them.';
  if (!Array.isArray(alerts)) return 'alerts is no list.';
  if (alerts.length === 0) return 'alerts is empty.';
  const at = alerts.findIndex(each => typeof each !== 'object' || each === null || Array.isArray(each));
  return `alerts[${at}] is no alert.`;
}

/** Alerts of Grafana’s own, about a rule whose query gave nothing. The rule’s name is a label of theirs. */
const ofGrafana: ReadonlyMap<string, string> = new Map([
  ['DatasourceNoData', 'no data'],
  ['DatasourceError', 'the query failed'],
]);

function toTitle(
  { groupLabels, labels, notes }: { readonly groupLabels: Texts; readonly labels: Texts; readonly notes: Texts },
  ones: readonly ToolAlert[],
): string {
  const failed = labels.rulename ? ofGrafana.get(labels.alertname ?? '') : undefined;
  if (failed !== undefined) return toText(`${labels.rulename}: ${failed}`, lengths.title);
  const group = Object.values(groupLabels).filter(each => each !== '');
  const names = new Set(ones.map(each => each.labels.alertname ?? '').filter(each => each !== ''));
  const mixed = [group.join(' '), [...names].join(', ')].filter(each => each !== '').join(': ');
  const titles = [labels.alertname, labels.rulename, mixed, notes.summary];
  return titles.map(each => toText(each ?? '', lengths.title)).find(each => each !== '') ?? 'An alert';
}

function toLinks(alert: ToolAlert, notes: Texts, body: z.output<typeof Body>): AlertLink[] {
  const found: readonly (readonly [AlertLink['what'], string | undefined])[] = [
    ['runbook', notes.runbook_url ?? alert.annotations.runbook_url],
    ['panel', alert.panelURL],
    ['dashboard', alert.dashboardURL],
    ['rule', alert.generatorURL],
    ['silence', alert.silenceURL || toSilence(body)],
    ['tool', body.externalURL],
  ];
  return found.flatMap(([what, url = '']) => (isOfWeb(url) ? [{ what, url }] : []));
}

/** Alertmanager’s form for a silence of the group’s alerts. Grafana sends an address of its own, and an `orgId`. */
function toSilence({ externalURL, groupLabels, orgId }: z.output<typeof Body>): string {
  const matchers = Object.entries(groupLabels).map(
    ([name, value]) => `${/^[a-z_]\w*$/i.test(name) ? name : JSON.stringify(name)}=${JSON.stringify(value)}`,
  );
  if (orgId !== undefined || matchers.length === 0 || externalURL === '') return '';
  return `${trimEnd(externalURL, /\//)}/#/silences/new?filter=${encodeURIComponent(`{${matchers.join(', ')}}`.toWellFormed())}`;
}

/** `common` is what all alerts of a group of several have: it tells none from the others. */
function toAlert(
  { labels, annotations, status, startsAt, values, valueString }: ToolAlert,
  common: { readonly labels: Texts; readonly notes: Texts } | undefined,
): Alert {
  const own = common ? Object.entries(labels).filter(([name, value]) => common.labels[name] !== value) : [];
  const summary = annotations.summary === common?.notes.summary ? '' : annotations.summary;
  const names = [
    summary,
    own.map(([, value]) => value).join(' '),
    [labels.service ?? labels.job, labels.pod ?? labels.instance].filter(Boolean).join(' '),
    labels.alertname,
  ];
  const name = names.map(each => toText(each ?? '', lengths.name)).find(each => each !== '') ?? 'An alert';
  const measured = Object.entries(values ?? {}).flatMap(([at, value]) => {
    const text = toValueText(value);
    return text === undefined ? [] : [`${at}=${text}`];
  });
  const value = measured.length > 0 ? measured.join(', ') : valueString;
  return { name, state: status, startedAt: startsAt, value: toText(value, lengths.value) };
}
