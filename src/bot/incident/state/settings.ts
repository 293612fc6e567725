import type { VisibilityRules } from '../../people/visibility.ts';
import { toSafeUrl } from '../../text/blocks.ts';
import { nearest } from '../../text/distance.ts';
import { cap } from '../../text/words.ts';
import type { ReceiptMode } from './room-store.ts';
import type { EmojiMeaning } from './timeline-emoji.ts';

/** The settings of the team that a team sets. */
export interface Settings extends VisibilityRules {
  /** Names of the severities, from mild to grave; the first means "not yet known". */
  readonly severities: readonly string[];
  /** What severities mean, by name; none need one. */
  readonly severityMeanings: ReadonlyMap<string, string>;
  /** What the names of incident channels begin with, including its hyphen: `inc-`. */
  readonly channelPrefix: string;
  /** The role that leads an incident, by its name in the API. */
  readonly commanderRole: string;
  /** What reactions in incidents' rooms do, by the emoji's name. */
  readonly timelineEmoji: ReadonlyMap<string, EmojiMeaning>;
  /** Severities whose incidents get a room at once when they began outside Slack. */
  readonly roomsFor: readonly string[];
  /** How rooms are told of changes, unless a room says otherwise. */
  readonly receipts: ReceiptMode;
  /** Messages about changes that a room gets within an hour; further changes join the last one. */
  readonly linesPerHour: number;
  /** Days after which the channel of an incident that is over is archived; 0 for never. */
  readonly archiveAfterDays: number;
  /** Id of the channel where incidents are announced; `""` for none. */
  readonly announceChannel: string;
  /** What people call the incident API, as the subject of a sentence: `Grafana at acme.grafana.net`. */
  readonly apiName: string;
  /** The slash command that carries every verb, without its slash. */
  readonly commandRoot: string;
  /** Where the API's relative addresses (`overviewURL`, dashboards) open in a browser, without a trailing slash; `""` when nowhere. */
  readonly webUrl: string;
  /** Asks the author before it stores a text that looks like a secret. */
  readonly guardsSecrets: boolean;
  /** Hosts whose dashboard addresses may be shortened, beside that of `webUrl`. */
  readonly dashboardHosts: readonly string[];
}

/** The severities as the options of a field. */
export function severityOptions({ severities, severityMeanings }: Pick<Settings, 'severities' | 'severityMeanings'>) {
  return severities.map(value => ({ value, label: value, description: severityMeanings.get(value) }));
}

/** A severity by its rank, as other tools name it: SEV1, P1, sev-2. The gravest is the first. */
const byRank = /^(?:severity|sev|priority|prio|p|s)[-_ ]?(\d)$/;

/**
 * The severity as the team spells it, found without regard to case, or by its rank: `SEV1` is the gravest. Undefined when there is none, or
 * none of that rank.
 */
export function findSeverity(settings: Settings, typed: string): string | undefined {
  const wanted = typed.trim().toLowerCase();
  const named = settings.severities.find(severity => severity.toLowerCase() === wanted);
  const rank = byRank.exec(wanted.normalize('NFKC'))?.[1];
  if (named !== undefined || rank === undefined) return named;
  // The first one of a team means “not yet known”.
  return settings.severities.slice(1).at(-Math.max(1, Number(rank)));
}

/** Says that the team has no such severity, and which it has (plain text). */
export function unknownSeverity(settings: Settings, typed: string): string {
  const near = nearest(typed.toLowerCase(), settings.severities, each => each.toLowerCase());
  const meant = near ? ` Did you mean ${near}?` : '';
  return `There is no severity “${cap(typed, 60)}”.${meant} Choose one of ${settings.severities.join(', ')}.`;
}

/** A host that only the machine itself knows by this name. */
const ownHost = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * A short link as people reach it: one of a server that does not know its own address begins as `webUrl` does, and one without an
 * address is built from its uid. `""` when that leads nowhere.
 */
export function toReachable(settings: Settings, { uid, url }: { readonly uid: string; readonly url: string }): string {
  const whole = /^https?:\/\//i.test(url.trim()) ? URL.parse(url.trim()) : null;
  const at = url.indexOf('/goto/');
  if (whole && (settings.webUrl === '' || !ownHost.test(whole.hostname) || at < 0)) return url.trim();
  if (at >= 0) return toWebUrl(settings, url.slice(at).trim());
  return uid === '' ? '' : toWebUrl(settings, `goto/${encodeURIComponent(uid)}`);
}

/** The full address of one of the API's relative ones, safe inside a Slack link; `""` when it opens nowhere. */
export function toWebUrl(settings: Settings, path: string): string {
  if (settings.webUrl === '' || path === '') return '';
  const url = `${settings.webUrl}${path.startsWith('/') ? '' : '/'}${path}`;
  return toSafeUrl(url);
}
