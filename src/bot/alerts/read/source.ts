import type { AlertLink } from '../../incident/state/alert-group.ts';

/** A source of alerts: a tool that sends them, and how the team takes them. */
export interface AlertSource {
  /** Its name, as in the address `/hooks/alerts/<name>`: lower-case letters, digits and hyphens. */
  readonly name: string;
  /** The tokens that it may show: one, or two while they are changed. */
  readonly tokens: readonly string[];
  /** How its bodies are read; absent: as those of Alertmanager and Grafana. */
  readonly mapping?: AlertMapping | undefined;
  /** Id of the channel in which its alerts are offered; `""` for the one of announcements. */
  readonly channel: string;
  /** The team's severity for a word of the tool, by that word in lower case. */
  readonly severities: ReadonlyMap<string, string>;
  /** Names of the alert's labels that become labels of its incident. */
  readonly labels: readonly string[];
  /** The team's severities whose alerts declare an incident at once. */
  readonly declares: readonly string[];
}

/** Where a member of an alert stands: a path of RFC 9535 to one member, or several, of which the first one with a value counts. */
export type AlertPath = string | readonly string[];

/** Where the members of an alert stand in a body of JSON. */
export interface AlertMapping {
  /** The member that holds the alert as a text of JSON, as Amazon's SNS sends it; absent: the body is the alert. */
  readonly inside?: AlertPath | undefined;
  readonly key: AlertPath;
  readonly title: AlertPath;
  readonly state: AlertPath;
  /** The values of the state that mean that the alert ended, in lower case; any other one means that it fires. */
  readonly ended: readonly string[];
  readonly severity?: AlertPath | undefined;
  readonly summary?: AlertPath | undefined;
  /** The same path in both: the body holds the moment of the change alone. */
  readonly startedAt?: AlertPath | undefined;
  readonly endedAt?: AlertPath | undefined;
  /** An object of labels, a list of `{ name, value }` or of `[name, value]`, or texts such as `env:prod,team:shop`. */
  readonly labels?: AlertPath | undefined;
  readonly links?: Readonly<Partial<Record<AlertLink['what'], AlertPath | undefined>>> | undefined;
}
