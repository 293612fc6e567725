import { z } from 'zod';

/*
 * A group of alerts as its tool tells of it, the same for every tool, and as it is stored. Texts are plain, on one line but for the summary,
 * cut to a length, and not yet escaped. Moments are RFC 3339 by the tool's clock, `""` where the tool does not say.
 */

const states = ['firing', 'resolved'] as const;

/** Where an alert leads: an address of the web. */
const AlertLink = z.object({
  what: z.enum(['runbook', 'dashboard', 'panel', 'rule', 'silence', 'tool']),
  url: z.string(),
});
export type AlertLink = z.output<typeof AlertLink>;

const Alert = z.object({
  name: z.string(),
  state: z.enum(states),
  startedAt: z.string(),
  /** The measured value, in the tool's words; `""` where it does not say. */
  value: z.string(),
});
export type Alert = z.output<typeof Alert>;

/** A group of alerts, which is one incident at most. */
export const AlertGroup = z.object({
  /** Names the group for good, within its source. */
  key: z.string(),
  state: z.enum(states),
  title: z.string(),
  /** In the tool's words; `""` where it does not say. */
  severity: z.string(),
  /** Its summary, in a sentence or some lines; `""` for none. */
  summary: z.string(),
  /** When the first of its alerts began. */
  startedAt: z.string(),
  /** When the newest of those that fire began: it tells a late notice from a new firing. */
  newestStartAt: z.string(),
  /** When the last one ended; `""` while one fires. */
  endedAt: z.string(),
  /** Labels that all of its alerts have. */
  labels: z.record(z.string(), z.string()),
  links: z.array(AlertLink),
  /** The first of its alerts, those that fire before the others, {@link maxNamedAlerts} at most. */
  alerts: z.array(Alert),
  /** How many alerts it has, with those that the tool left out. */
  firing: z.number(),
  resolved: z.number(),
  /** The alerts that fire, or all where none does, by names that are the same in each group: {@link maxPrints} at most. */
  prints: z.array(z.string()).default([]),
  /** The alerts that ended while others fire, by such names. */
  endedPrints: z.array(z.string()).default([]),
});
export type AlertGroup = z.output<typeof AlertGroup>;

/** Alerts of a group that are named; the others are counted. */
export const maxNamedAlerts = 10;

/** Alerts of a group that Muster knows by name, at most. */
export const maxPrints = 100;

/** Most characters of the texts of a group. */
export const alertLengths = {
  ...{ key: 1000, title: 150, severity: 60, summary: 1000 },
  ...{ name: 100, label: 100, value: 200, url: 2000 },
};

/** Most labels of a group. */
export const maxAlertLabels = 50;

/** The service that a group is about, by its labels; `""` where they do not say. */
export function serviceOf({ labels }: AlertGroup): string {
  return labels.service ?? labels.job ?? labels.app ?? '';
}

/** The address of the tool that tells of a group; `""` where it does not say. */
export function toolOf({ links }: AlertGroup): string {
  return links.find(each => each.what === 'tool')?.url ?? '';
}

/** A moment of a tool that lies so long before its notice is none, in milliseconds. */
const longest = 366 * 24 * 3_600_000;

/** A moment of the tool, `""` for one that lies after its notice or more than a year before it. `heardAt`: when the notice came, by our clock. */
export function possibleMoment(moment: string, heardAt: number): string {
  const age = heardAt - Date.parse(moment);
  return age >= 0 && age <= longest ? moment : '';
}
