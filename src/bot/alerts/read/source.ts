/** A source of alerts: a tool that sends them, and how the team takes them. */
export interface AlertSource {
  /** Its name, as in the address `/hooks/alerts/<name>`: lower-case letters, digits and hyphens. */
  readonly name: string;
  /** The tokens that it may show: one, or two while they are changed. */
  readonly tokens: readonly string[];
  /** How its bodies are read; absent: as those of Alertmanager and Grafana. */
  readonly mapping?: AlertMapping;
  /** Id of the channel in which its alerts are offered; `""` for the one of announcements. */
  readonly channel: string;
  /** The team's severity for a word of the tool, by that word in lower case. */
  readonly severities: ReadonlyMap<string, string>;
  /** Names of the alert's labels that become labels of its incident. */
  readonly labels: readonly string[];
  /** The team's severities whose alerts declare an incident at once. */
  readonly declares: readonly string[];
}

/** Where the members of an alert stand in a body of JSON: each a path of RFC 9535 that names one member. */
export interface AlertMapping {
  /** The member that holds the alert as a text of JSON, as Amazon's SNS sends it; absent: the body is the alert. */
  readonly inside?: string;
  readonly key: string;
  readonly title: string;
  readonly state: string;
  /** The values of the state that mean that the alert ended, in lower case; any other one means that it fires. */
  readonly ended: readonly string[];
  readonly severity?: string;
  readonly summary?: string;
  readonly startedAt?: string;
  readonly endedAt?: string;
  /** An object of labels. */
  readonly labels?: string;
  readonly links?: Readonly<Partial<Record<'runbook' | 'dashboard' | 'panel' | 'rule' | 'silence' | 'tool', string>>>;
}
