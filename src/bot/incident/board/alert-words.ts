import type { ActionsBlockElement, KnownBlock } from '@slack/types';
import { actions, context, section, toLinkLabel, toMrkdwn, toQuote, toSafeUrl, type Words } from '../../text/blocks.ts';
import { when, whenAndAge } from '../../text/shown-times.ts';
import { incidentSigns, severitySign, signs } from '../../text/signs.ts';
import { maxText } from '../../text/spoken.ts';
import { formatDuration, toSlackDate } from '../../text/times.ts';
import { andMore, cutMrkdwn, restRow, withoutFormatting } from '../../text/words.ts';
import { type AlertLink, possibleMoment, serviceOf } from '../state/alert-group.ts';
import { mostServices, type Offered, type StoredAlert, stateRank } from '../state/alert-store.ts';

/** Groups of a storm that its message lists, and alerts of a group that it names; the others are counted. */
const listed = 20;
const named = 10;

/** The words for the places to which an alert leads, in their order. */
const linkWords: Readonly<Record<AlertLink['what'], string>> = {
  runbook: 'Runbook',
  panel: 'Panel',
  dashboard: 'Dashboard',
  rule: 'Rule',
  silence: 'Silence',
  tool: 'Alerts',
};

/** The places to which an alert leads, as links (mrkdwn), with its values. */
export function alertLinks({ told }: StoredAlert): readonly string[] {
  const known = new Map(told.links.map(each => [each.what, each.url]));
  return (Object.keys(linkWords) as AlertLink['what'][]).flatMap(what => {
    const url = toSafeUrl(known.get(what) ?? '');
    return url === '' ? [] : [`<${url}|${toLinkLabel(linkWords[what])}>`];
  });
}

/** The severities of the team, from mild to grave. */
interface WordsInput {
  readonly severities: readonly string[];
}

/** A group in one line: `🔴 HighErrors – fires since …`. */
export function alertRow(alert: StoredAlert, { severities }: WordsInput, standing = stateWords(alert)): string {
  const { told, severity, state } = alert;
  const sign = state === 'ended' ? incidentSigns.resolved : severitySign(severities, severity);
  const service = serviceOf(told);
  const of = service === '' || told.title.includes(service) ? '' : ` (${toMrkdwn(service, 60)})`;
  return `${sign} *${toMrkdwn(told.title, 100)}*${of} · ${standing}`.trim();
}

/** The state of a group: since when it fires and how often its tool said so, or when it ended. `short`: among many, without a count. */
export function stateWords(alert: StoredAlert, length: 'whole' | 'short' = 'whole'): string {
  const { state, told, first_at, ended_at, times, newest_at } = alert;
  if (state === 'ended') return `ended ${toSlackDate(new Date(possibleMoment(told.endedAt, ended_at) || ended_at))}`;
  const began = told.startedAt || new Date(first_at).toISOString();
  if (length === 'short') return `since ${when(began)}`;
  const since = `fires since ${whenAndAge(began)}`;
  if (times <= 1) return since;
  const isAtOnce = newest_at - Date.parse(began) < 60_000;
  return `${since}, ${times} notices${isAtOnce ? '' : `, the last ${toSlackDate(new Date(newest_at))}`}`;
}

/** The alerts of a group by their names, with their values; `""` where the title says all. */
export function namesWords({ told }: StoredAlert): string {
  const total = told.firing + told.resolved;
  // A single one is named by the title.
  if (total <= 1) return toMrkdwn(told.alerts[0]?.value ?? '', 200);
  const names = told.alerts.map(({ name, value, state }) => {
    const measured = value === '' ? '' : ` (${toMrkdwn(value, 80)})`;
    return `${state === 'resolved' ? `${incidentSigns.resolved} ` : ''}${toMrkdwn(name, 100)}${measured}`;
  });
  return `${total} alerts: ${andMore(names, named, { total })}`;
}

function rankIn({ severities }: WordsInput, { severity }: StoredAlert): number {
  return severities.indexOf(severity);
}

/** The worst severity among some groups. */
export function gravest(alerts: readonly StoredAlert[], { severities }: WordsInput): string {
  return (
    alerts.toSorted((one, other) => rankIn({ severities }, other) - rankIn({ severities }, one))[0]?.severity ?? ''
  );
}

/** A title for the groups of an offer, as plain text: the title of one, or their number with their services. All may have gone to another offer. */
export function alertsTitle({ alerts, total, services }: Offered): string {
  const [first] = alerts;
  if (total === 1 && first) return first.told.title;
  if (total === 0) return 'Alerts';
  const [one = ''] = services;
  const many = services.length > mostServices ? `more than ${mostServices}` : `${services.length}`;
  const of = services.length === 0 ? '' : services.length === 1 ? ` of ${one}` : ` of ${many} services`;
  return `${total} alerts${of}`;
}

/** The readers who may not read alerts in a channel, as the beginning of a clause about it. */
const outsiderWords = {
  strangers: 'people of another organisation read',
  guests: 'guests may read',
  unknown: 'Slack does not tell who reads',
};

/** The message of an offer for the readers of its channel: with outsiders among them it names no alert and no source. One that asks nothing any more is one line. */
export function offerWords(
  offered: Offered,
  input: WordsInput & {
    readonly buttons: readonly ActionsBlockElement[];
    /** The incident of the offer, or of the time before, as its readers may know it (mrkdwn); `""` for none. */
    readonly incident: string;
    /** Readers of the channel who may not read alerts; undefined for none. */
    readonly outsiders: keyof typeof outsiderWords | undefined;
  },
): Words {
  const { offer, alerts, total, changedAt } = offered;
  const { outsiders } = input;
  const number = total === 1 ? 'An alert' : total === 0 ? 'Alerts' : `${total} alerts`;
  const title = outsiders ? number : toMrkdwn(alertsTitle(offered), 150);
  const source = outsiders ? 'not named here' : toMrkdwn(offer.source, 40);
  const by = offer.actor === '' ? '' : ` by <@${offer.actor}>`;
  if (offer.state === 'taken') {
    const taken = by === '' && input.incident !== '' ? [] : [`taken up${by}`];
    const where = [...(input.incident === '' ? [] : [input.incident]), ...taken].join(', ');
    return oneLine(`${signs.alert} ${title}: ${where} · ${source}`);
  }
  if (offer.state === 'over') {
    const length = total > 0 ? ` after ${formatDuration(Math.max(0, (changedAt - offer.begun_at) / 1000))}` : '';
    return oneLine(`${incidentSigns.resolved} ${title}: ended${length}, nobody had to act · ${source}`);
  }
  if (offer.state === 'muted') {
    const until = toSlackDate(new Date(offer.muted_until));
    return oneLine(`${signs.muted} ${title}: muted until ${until}${by} · ${source}`, input.buttons);
  }
  if (outsiders) {
    const why = `No name stands here, since ${outsiderWords[outsiders]} this channel.`;
    const text = `${signs.alert} *${title}* ${total === 1 ? 'fires' : 'fire'}. ${why} *Declare* shows you more before anything is declared.`;
    const row = input.buttons.length === 0 ? [] : [actions(input.buttons)];
    return { text: withoutFormatting(text), isWhole: true, blocks: [section(text), ...row] };
  }
  const severity = gravest(alerts, input);
  const bad = `${severitySign(input.severities, severity)} ${toMrkdwn(severity, 60)}`.trim();
  const headline = `${signs.alert} *${title}* · ${bad}`;
  const before = input.incident === '' ? [] : [`Before, it was ${input.incident}.`];
  const details = total === 1 && alerts[0] ? oneWords(alerts[0]) : manyWords(offered, input);
  const foot = [`From ${source}`, ...before].join(' · ');
  const text = [headline, ...details, foot].join('\n');
  const blocks: KnownBlock[] = [section(headline), ...details.map(each => section(each)), context(foot)];
  return {
    text: cutMrkdwn(withoutFormatting(text), maxText),
    isWhole: true,
    blocks: [...blocks, ...(input.buttons.length === 0 ? [] : [actions(input.buttons)])],
  };
}

function oneWords(alert: StoredAlert): readonly string[] {
  const summary = alert.told.summary === '' ? [] : [toQuote(toMrkdwn(alert.told.summary, 600))];
  const names = namesWords(alert);
  const state = stateWords(alert);
  const links = alertLinks(alert);
  const said = [`${state.charAt(0).toUpperCase()}${state.slice(1)}`, ...(names === '' ? [] : [names])].join('\n');
  return [...summary, [said, ...(links.length === 0 ? [] : [links.join(' · ')])].join('\n')];
}

function manyWords({ alerts, total }: Offered, input: WordsInput): readonly string[] {
  const gravestFirst = alerts.toSorted(
    (one, other) => stateRank(one) - stateRank(other) || rankIn(input, other) - rankIn(input, one),
  );
  const rows = gravestFirst
    .slice(0, listed)
    .map(each => [alertRow(each, input, stateWords(each, 'short')), ...alertLinks(each).slice(0, 1)].join(' · '));
  const all = [...rows, ...restRow(total, rows.length)];
  // A block holds about fifteen rows.
  const half = 10;
  return [all.slice(0, half).join('\n'), ...(all.length > half ? [all.slice(half).join('\n')] : [])];
}

function oneLine(text: string, buttons: readonly ActionsBlockElement[] = []): Words {
  const row = buttons.length === 0 ? [] : [actions(buttons)];
  return { text: withoutFormatting(text), isWhole: true, blocks: [context(text), ...row] };
}
