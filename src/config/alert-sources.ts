import { z } from 'zod';
import { compileMemberPath } from '../contract/json-path.ts';
import { channelID } from './formats.ts';
import { readJsonFile } from './json-file.ts';
import type { SettingValues } from './settings.ts';

/** A source of alerts: a tool that sends them, and how the team takes them. Severities are as `SEVERITIES` spells them. */
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

const path = z
  .union(
    [z.string(), z.array(z.string()).min(1, 'must be a path or a list of paths')],
    'must be a path or a list of paths',
  )
  .superRefine((value, context) => {
    const compiled = [value].flat().map(each => compileMemberPath(each));
    for (const each of compiled) if ('problem' in each) context.addIssue(each.problem);
  });
const links = z.strictObject({
  runbook: path.optional(),
  dashboard: path.optional(),
  panel: path.optional(),
  rule: path.optional(),
  silence: path.optional(),
  tool: path.optional(),
});

/** The place of an alert's member: a path of RFC 9535 to one member, or several paths; the first one with a value counts. */
export type AlertPath = z.output<typeof path>;

/** The members of the mapping of a source, with what docs/settings.md says of them. */
const alertPaths = z.strictObject({
  key: path.describe('names this alert and no other: the same for its beginning, its repetition and its end'),
  title: path.describe('its title'),
  state: path.describe('its state, a text, a number, or `true` or `false`'),
  ended: z
    .array(z.string().transform(each => each.toLowerCase()))
    .min(1)
    .describe('a list of the values of the state that mean that it ended; any other one means that it fires'),
  severity: path.optional().describe('how bad it is, in the tool’s words'),
  summary: path.optional().describe('a sentence or some lines'),
  startedAt: path.optional().describe('when it began: RFC 3339, or the seconds or milliseconds since 1970'),
  endedAt: path.optional().describe('when it ended; the same path as `startedAt` where the body has one moment alone'),
  labels: path
    .optional()
    .describe('an object of labels, a list of `{"name": …, "value": …}`, or a text such as `env:prod,team:shop`'),
  links: links
    .optional()
    .describe('an object of paths to web addresses: `runbook`, `dashboard`, `panel`, `rule`, `silence` and `tool`'),
  inside: path.optional().describe('the member that holds the alert as a text of JSON, as Amazon SNS sends it'),
});

/** The places of an alert's members in a body of JSON. */
export type AlertMapping = z.output<typeof alertPaths>;

/** The members of a source in the file of ALERTS_SOURCES, with what docs/settings.md says of them. */
export const alertSourceMembers = z.strictObject({
  channel: channelID.optional().describe('the id of the channel that is offered its alerts; else `ANNOUNCE_CHANNEL`'),
  severities: z
    .record(z.string(), z.string())
    .optional()
    .describe('an object: the severity of the team for a word of the tool, as in `{"page": "critical"}`'),
  labels: z
    .array(z.string().min(1))
    .max(20)
    .optional()
    .describe('a list of labels of the alert that become labels of the incident'),
  declare: z
    .array(z.string())
    .optional()
    .describe(
      'a list of severities whose alerts declare an incident at once, in addition to those of `ALERTS_DECLARE`',
    ),
  paths: alertPaths
    .optional()
    .describe('where the tool’s body has the members of an alert; left out for Alertmanager and Grafana'),
});
type Members = z.output<typeof alertSourceMembers>;

const file = z.record(z.string(), alertSourceMembers, 'must be an object of sources by their names');

type AlertSettings = SettingValues<'ALERTS' | 'ALERTS_SOURCES' | 'ALERTS_DECLARE' | 'ANNOUNCE_CHANNEL'>;

/**
 * The sources that `ALERTS` and the file of ALERTS_SOURCES name, and a sentence for each problem. `findSeverity` gives a severity as
 * SEVERITIES spells it. The names in `ALERTS_DECLARE` are checked before.
 */
export function readAlertSources(
  given: AlertSettings,
  findSeverity: (name: string) => string | undefined,
): { readonly sources: readonly AlertSource[]; readonly problems: readonly string[] } {
  const { members, problems } = readMembers(given.alertsSources);
  const strangers = [...members].flatMap(([name, each]) => findStrangers(name, each, { given, findSeverity }));
  const sources = [...given.alerts].map(([name, tokens]): AlertSource => {
    const { channel = '', severities = {}, labels = [], declare = [], paths } = members.get(name) ?? {};
    return {
      name,
      tokens,
      mapping: paths,
      channel,
      severities: new Map(
        Object.entries(severities).map(([word, severity]) => [word.trim().toLowerCase(), findSeverity(severity) ?? '']),
      ),
      labels,
      declares: [...new Set([...given.alertsDeclare, ...declare].flatMap(each => findSeverity(each) ?? []))],
    };
  });
  const homeless = sources.flatMap(({ channel }, index) =>
    channel === '' && given.announceChannel === ''
      ? [
          `ALERTS source ${index + 1} needs a channel for its alerts: set ANNOUNCE_CHANNEL, or its channel in ALERTS_SOURCES.`,
        ]
      : [],
  );
  return { sources, problems: problems.length > 0 ? problems : [...strangers, ...homeless] };
}

/** A sentence for a source that `ALERTS` does not name, and for each severity that the team does not have. */
function findStrangers(
  name: string,
  { severities = {}, declare = [] }: Members,
  {
    given,
    findSeverity,
  }: { readonly given: AlertSettings; readonly findSeverity: (name: string) => string | undefined },
): readonly string[] {
  const named = [
    ...Object.entries(severities).map(([word, severity]) => [`severities.${word}`, severity] as const),
    ...declare.map((severity, index) => [`declare.${index}`, severity] as const),
  ];
  const label = `ALERTS_SOURCES: ${given.alertsSources}: ${name}`;
  return [
    ...(given.alerts.has(name) ? [] : [`${label} is no source that ALERTS names.`]),
    ...named
      .filter(([, severity]) => findSeverity(severity) === undefined)
      .map(([member]) => `${label}.${member} must be one that SEVERITIES names.`),
  ];
}

function readMembers(name: string): {
  readonly members: ReadonlyMap<string, Members>;
  readonly problems: readonly string[];
} {
  if (name === '') return { members: new Map(), problems: [] };
  const read = readJsonFile('ALERTS_SOURCES', name);
  if ('problem' in read) return { members: new Map(), problems: [read.problem] };
  const parsed = file.safeParse(read.value);
  if (parsed.success) return { members: new Map(Object.entries(parsed.data)), problems: [] };
  const found = parsed.error.issues.map(({ path: at, message }) => [at.join('.'), message].filter(Boolean).join(': '));
  return { members: new Map(), problems: found.map(each => `ALERTS_SOURCES: ${name}: ${each}.`) };
}
