/*
 * A group of alerts as its tool tells of it, the same for every tool. Texts are as they came: cut to a length, and to be escaped by whoever
 * shows them.
 */

/** A group of alerts, which is one incident at most. Moments are RFC 3339, `""` where the tool does not say. */
export interface AlertGroup {
  /** Names the group for ever, within its source. */
  readonly key: string;
  readonly state: 'firing' | 'resolved';
  readonly title: string;
  /** In the tool's words; `""` where it does not say. */
  readonly severity: string;
  /** What it is about, in a sentence or some lines; `""` for none. */
  readonly summary: string;
  /** When the first of its alerts began, and when the last one ended; `""` while one fires. */
  readonly startedAt: string;
  readonly endedAt: string;
  /** Labels that all of its alerts have. */
  readonly labels: Readonly<Record<string, string>>;
  readonly links: readonly AlertLink[];
  /** The first of its alerts, those that fire before the others, {@link maxNamed} at most. */
  readonly alerts: readonly Alert[];
  /** How many alerts it has, those included that the tool left out. */
  readonly firing: number;
  readonly resolved: number;
}

/** One alert of a group. */
export interface Alert {
  readonly name: string;
  readonly state: 'firing' | 'resolved';
  readonly startedAt: string;
  /** What was measured, in the tool's words; `""` where it does not say. */
  readonly value: string;
}

/** Where an alert leads. The address is one of the web. */
export interface AlertLink {
  readonly what: 'runbook' | 'dashboard' | 'panel' | 'rule' | 'silence' | 'tool';
  readonly url: string;
}

/** Alerts of a group that are named; the others are counted. */
export const maxNamed = 10;

/** Most characters of what a tool says. */
export const lengths = { key: 1000, title: 150, severity: 60, summary: 1000, name: 100, label: 100, value: 200, url: 2000 };

/** Most labels of a group. */
export const maxLabels = 50;

/** A body that is no group of alerts, in words for the person who set the tool up. They name the member that is missing or wrong. */
export class UnreadableAlert extends Error {
  override name = 'UnreadableAlert';
}
