import { type SettingName, type SettingValues, settingOf } from './settings.ts';

/** Values when all could be read, and otherwise a sentence for each problem. */
interface ReadSettings<Name extends SettingName> {
  readonly values: SettingValues<Name> | undefined;
  readonly problems: readonly string[];
}

/**
 * Reads settings from text by their names; what is undefined or blank has its default. `label` says how a setting is called in
 * a problem: by its own name, unless it came from an option.
 */
export function readSettings<Name extends SettingName>(
  names: readonly Name[],
  given: Readonly<Record<string, string | undefined>>,
  label: (name: SettingName) => string = name => name,
): ReadSettings<Name> {
  const values: Partial<Record<Name, unknown>> = {};
  const problems: string[] = [];
  for (const name of names) {
    const { format, default: fallback } = settingOf(name);
    const parsed = format.safeParse(given[name]?.trim() || fallback);
    if (parsed.success) values[name] = parsed.data;
    else problems.push(...parsed.error.issues.map(issue => `${label(name)} ${issue.message}.`));
  }
  // Each value is what the setting's own format made of the text.
  return { values: problems.length === 0 ? (values as SettingValues<Name>) : undefined, problems };
}
