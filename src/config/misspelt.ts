import { distance } from '../contract/distance.ts';
import { secretNames, toFileVariable } from './secret-files.ts';
import { settingNames } from './settings.ts';

/** Variables that Muster reads and that are no settings. */
const others = ['SLACK_CONFIG_TOKEN'];
const known: readonly string[] = [...settingNames, ...secretNames.map(toFileVariable), ...others];

/** Settings that are gone, and what an operator should know then: a sentence without its end. */
const gone: Readonly<Record<string, string>> = {
  BLOCKS: 'Muster sends classic blocks alone',
  RECEIPTS: 'a channel reads a line of each change, unless its people choose otherwise with /incident receipts',
  LINES_PER_HOUR: 'a channel gets 30 messages about changes within an hour',
  TASK_AFTER: 'the person who has a task is reminded of it after four hours, unless /incident reminders says otherwise',
  ALERTS_AGAIN: 'an alert that fires again within 30 minutes is the same incident',
  ALERTS_STORM: 'more than five new alerts of one source within ten minutes become one offer',
  PAGERDUTY_URL:
    'name the address in PAGERS, as in sre=pagerduty:<integration key>@https://events.eu.pagerduty.com, or pages go to another place',
};
/** Those of them that stop a start. */
const moved = ['PAGERDUTY_URL'];

/** A sentence for each setting that is gone and without which Muster would do something else. */
export function findMoved(environment: Readonly<Record<string, string | undefined>>): readonly string[] {
  return moved.filter(name => environment[name]?.trim()).flatMap(name => toSentence(name) ?? []);
}

/** Beginnings of names that Muster's settings have. */
const beginnings = /^(SLACK|GRAFANA|WEBHOOK|SERVICE|DATABASE|ALERTS|PAGERS|MUSTER)_/;
/** Names of other programs that are near to one of Muster's. */
const strangers: ReadonlySet<string> = new Set(['HOME', 'PAGER', 'POST', 'PORTS']);
/** Slips that are forgiven: two letters, of a short name one. */
const maxSlips = 2;
const shortName = 6;

/**
 * A sentence for each variable that is no setting and looks like one: because it was one, is a slip or two away from one, or begins as
 * Muster's do. It names the variable, and never shows its value.
 */
export function findMisspelt(environment: Readonly<Record<string, string | undefined>>): readonly string[] {
  return Object.keys(environment)
    .filter(name => !known.includes(name) && !strangers.has(name) && !isOfKubernetes(name, environment))
    .toSorted()
    .flatMap(name => toSentence(name) ?? []);
}

function toSentence(name: string): string | undefined {
  if (Object.hasOwn(gone, name))
    return `${name} is no setting any more${moved.includes(name) ? '' : ', so it changes nothing'}: ${gone[name]}. Take it out.`;
  const meant = findMeant(name);
  if (meant !== undefined) return `${name} is no setting, so it changes nothing. Is ${meant} meant?`;
  if (!beginnings.test(name)) return undefined;
  return `${name} is no setting, so it changes nothing. docs/settings.md lists every setting.`;
}

/** The setting that a name means; undefined when none is near. `MUSTER_PORT` means `PORT`. */
function findMeant(name: string): string | undefined {
  const bare = name.replace(/^MUSTER_/, '');
  if (known.includes(bare)) return bare;
  const slips = known.map(each => ({ each, slips: distance(name.toUpperCase(), each) }));
  const near = slips.filter(({ each, slips }) => slips <= (each.length <= shortName ? 1 : maxSlips));
  return near.toSorted((a, b) => a.slips - b.slips)[0]?.each;
}

/** Kubernetes describes each service of a namespace in variables that begin with its name, such as `MUSTER_PORT`. */
function isOfKubernetes(name: string, environment: Readonly<Record<string, string | undefined>>): boolean {
  const service = /^(.+?)_(?:SERVICE_HOST|SERVICE_PORT|PORT)(?:_|$)/.exec(name)?.[1];
  return service !== undefined && environment[`${service}_SERVICE_HOST`] !== undefined;
}
