import type { Condition } from './setting.ts';
import { type SettingName, settingOf } from './settings.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Sentences on settings that are set where they have no effect. None shows a value. */
interface Vain {
  /** Muster does not start with these. */
  readonly refused: readonly string[];
  readonly warnings: readonly string[];
}

/**
 * Finds the settings that are set and have no effect, by the conditions of the list of settings. One with its default counts as not set.
 * A condition on a setting that is not among `names` does not apply: `muster service` knows no Grafana. `label` says how a sentence
 * calls a setting.
 */
export function findVain(
  names: readonly SettingName[],
  given: Environment,
  label: (name: SettingName) => string = name => name,
): Vain {
  const textOf = (name: SettingName) => given[name]?.trim() || settingOf(name).default;
  const vain = names.flatMap(name => {
    const { worksOnly = [], default: fallback } = settingOf(name);
    if (textOf(name) === fallback) return [];
    const broken = worksOnly.filter(each => {
      const of = names.find(other => other === each.of);
      return of !== undefined && !holds(each, textOf(of));
    });
    // The gravest alone: the others may be gone with it.
    const first = broken.find(each => each.otherwise === 'refuse') ?? broken[0];
    return first ? [{ otherwise: first.otherwise, sentence: toSentence(label(name), first) }] : [];
  });
  const saying = (otherwise: Condition['otherwise']) =>
    vain.filter(each => each.otherwise === otherwise).map(each => each.sentence);
  return { refused: saying('refuse'), warnings: saying('warn') };
}

function holds({ must }: Condition, text: string): boolean {
  if (must === 'name a Postgres') return /^postgres(ql)?:/.test(text);
  return (text !== '') === (must === 'be set');
}

function toSentence(name: string, { of, must, otherwise, why }: Condition): string {
  if (must === 'name a Postgres') return `${name} changes nothing, since ${of} names no Postgres: ${why}. Take it out.`;
  const verb = otherwise === 'refuse' ? 'must not be set' : 'is of no use';
  if (must === 'be set') return `${name} ${verb} without ${of}: ${why}. Set ${of}, or take ${name} out.`;
  return `${name} and ${of} must not both be set: ${why}. Take one of the two out.`;
}

/** A condition in the words of docs/settings.md. */
export function describeCondition({ of, must }: Condition): string {
  if (must === 'name a Postgres') return `only with a Postgres in \`${of}\``;
  return `${must === 'be set' ? 'only with' : 'not beside'} \`${of}\``;
}
