import type { alertRules } from '../../../config/alert-settings.ts';
import type { ValuesOf } from '../../../config/setting.ts';
import type { Pace, teamSettings } from '../../../config/team-settings.ts';
import { isOwnHost } from '../../../contract/own-host.ts';
import { toNormalForm } from '../../../normal-form.ts';
import { trimEnd } from '../../../trim-end.ts';
import { slackLimits } from '../../slack/limits.ts';
import { toSafeUrl } from '../../text/blocks.ts';
import { nearest } from '../../text/distance.ts';
import { severitySign } from '../../text/signs.ts';
import { cap } from '../../text/words.ts';

/** The settings of the team, and values that follow from others of an installation. */
export interface Settings extends ValuesOf<typeof teamSettings>, ValuesOf<typeof alertRules>, Pace {
  /** The name of the incident API for people, as the subject of a sentence: `Grafana at acme.grafana.net`. */
  readonly apiName: string;
  /** Where the API's relative addresses (`overviewURL`, dashboards) open in a browser, without a trailing slash; `""` when nowhere. */
  readonly webUrl: string;
  /** Further hosts whose dashboard addresses may be shortened; that of `webUrl` always may. */
  readonly dashboardHosts: readonly string[];
  /** Names of the labels of alerts that become labels of their incident, by the source of the alerts. */
  readonly alertLabels: ReadonlyMap<string, readonly string[]>;
}

/** The severities that a team has unless it sets others (the setting SEVERITIES), with what each means. */
const usual: Readonly<Record<string, readonly [word: string, meaning: string]>> = {
  pending: ['Not known yet', ''],
  minor: ['Minor', 'few people notice'],
  major: ['Major', 'many people are affected'],
  critical: ['Critical', 'most people cannot work'],
};

/** The severities as the options of a field: sign, word and meaning. Those of a team’s own making have only the meaning that it gives. */
export function severityOptions({ severities, severityMeanings }: Settings) {
  const isUsual = severities.join() === Object.keys(usual).join();
  return severities.map(value => {
    const [word, known] = (isUsual && usual[value]) || [value, ''];
    const meaning = severityMeanings.get(value) ?? known;
    const label = `${severitySign(severities, value)} ${word}`.trim();
    const whole = meaning === '' ? label : `${label} – ${meaning}`;
    return whole.length <= slackLimits.optionText ? { value, label: whole } : { value, label, description: meaning };
  });
}

/** A severity by its rank, as other tools name it: SEV1, P1, sev-2. The gravest is the first. */
const byRank = /^(?:severity|sev|priority|prio|p|s)[-_ ]?(\d)$/;

/**
 * The severity as the team spells it, found without regard to case, or by its rank: `SEV1` is the gravest. Undefined when there is none, or
 * none of that rank.
 */
export function findSeverity(severities: readonly string[], typed: string): string | undefined {
  const wanted = trimEnd(typed.trim(), /[.,!]/).toLowerCase();
  const named = severities.find(severity => severity.toLowerCase() === wanted);
  const rank = byRank.exec(toNormalForm(wanted, 'NFKC'))?.[1];
  if (named !== undefined || rank === undefined) return named;
  // The first one of a team means “not yet known”.
  return severities.slice(1).at(-Math.max(1, Number(rank)));
}

/**
 * A severity with words behind it: `critical because nobody can pay`. The words that name it are as many as can be. Undefined when the line
 * begins with none, or names a second one.
 */
export function readSeverity(
  settings: Settings,
  typed: string,
): { readonly severity: string; readonly why: string } | undefined {
  const words = typed.trim().split(/\s+/);
  const nameOf = (some: readonly string[]) => findSeverity(settings.severities, trimEnd(some.join(' '), /[.,:;!?–—-]/));
  const longest = Math.max(2, ...settings.severities.map(each => each.split(/\s+/).length));
  for (let count = Math.min(words.length, longest); count > 0; count -= 1) {
    const severity = nameOf(words.slice(0, count));
    if (severity === undefined) continue;
    const rest = words.slice(count);
    if (rest.some(word => nameOf([word]) !== undefined)) return undefined;
    return { severity, why: rest.join(' ').replace(/^[:,;–—-]+\s*/, '') };
  }
  return undefined;
}

/** A severity at the beginning of a title, as other tools name it: `sev2: …`, `P1 …`, or the team’s own word with a colon. */
const titled = /^(?:((?:severity|sev|priority|prio|p)[-_ ]?\d)(?:\s*[:,–—-]+\s*|\s+)|([^:]{1,60}):\s+)(\S.*)$/is;

/** A title without the severity that it begins with. Amazon’s S3 is none: `s3` counts nowhere in a title. */
export function splitSeverity(
  settings: Settings,
  title: string,
): { readonly severity: string | undefined; readonly title: string } {
  const [, ranked, named = '', rest = ''] = titled.exec(title.trim()) ?? [];
  const isBucket = /^s[-_ ]?3$/i.test(named.trim());
  const severity = isBucket ? undefined : findSeverity(settings.severities, ranked ?? named);
  return severity === undefined ? { severity, title } : { severity, title: rest };
}

/** Says that the team has no such severity, and which it has (plain text). */
export function unknownSeverity(settings: Settings, typed: string): string {
  const near = nearest(typed.toLowerCase(), settings.severities, each => each.toLowerCase());
  const meant = near ? `: did you mean ${near}?` : '';
  return `There is no severity “${cap(typed, 60)}”${meant || `: choose one of ${settings.severities.join(', ')}.`}`;
}

/**
 * A short link as people reach it: one of a server that does not know its own address begins as `webUrl` does, and one without an
 * address is built from its uid. `""` when that leads nowhere.
 */
export function toReachable(settings: Settings, { uid, url }: { readonly uid: string; readonly url: string }): string {
  const whole = /^https?:\/\//i.test(url.trim()) ? URL.parse(url.trim()) : null;
  const at = url.indexOf('/goto/');
  if (whole && (settings.webUrl === '' || !isOwnHost(whole.hostname) || at < 0)) return url.trim();
  if (at >= 0) return toWebUrl(settings, url.slice(at).trim());
  return uid === '' ? '' : toWebUrl(settings, `goto/${encodeURIComponent(uid)}`);
}

/**
 * The full address of one of the API's relative ones, safe inside a Slack link; `""` when it opens nowhere. A Grafana below a sub-path begins
 * some of its paths with that, and others not.
 */
export function toWebUrl(settings: Settings, path: string): string {
  if (settings.webUrl === '' || path === '') return '';
  return toSafeUrl(`${settings.webUrl}/${withoutBase(settings.webUrl, path).replace(/^\//, '')}`);
}

/** The sub-path below which the server at `webUrl` is, such as `/grafana`; `""` for none. */
export function basePath(webUrl: string): string {
  return webUrl === '' ? '' : trimEnd(new URL(webUrl).pathname, /\//);
}

/** A path of the server at `webUrl` as it is below the server's sub-path. */
export function withoutBase(webUrl: string, path: string): string {
  const base = basePath(webUrl);
  return base !== '' && path.startsWith(`${base}/`) ? path.slice(base.length) : path;
}
