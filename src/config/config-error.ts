import { type SettingName, settingOf } from './settings.ts';

/** A setting that is needed and not set. */
export interface MissingSetting {
  readonly name: SettingName;
  /** Another setting that would do in its place, and when. */
  readonly instead?: { readonly name: SettingName; readonly when: string };
  /** The setting that makes this one necessary. */
  readonly because?: SettingName;
  /** Muster starts without it too: its line is a comment. */
  readonly isOptional?: true;
}

/** The settings cannot be used. The message names every problem at once, shows no value, and ends with the lines to write. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  /** `problems` are sentences. `missing` becomes lines for the file `.env`. */
  constructor(problems: readonly string[], missing: readonly MissingSetting[] = []) {
    const list = 'docs/settings.md lists every setting.';
    const wrong =
      problems.length === 0 ? [] : ['The settings cannot be used:', ...problems.map(each => `  ${each}`), list];
    const advice = missing.length === 0 ? [] : toAdvice(missing, problems.length === 0 ? list : '');
    super([...wrong, ...advice].join('\n'));
  }
}

function toAdvice(missing: readonly MissingSetting[], list: string): readonly string[] {
  const needed = missing.filter(each => !each.isOptional).length;
  const needsApp = missing.some(each => each.name.startsWith('SLACK_'));
  return [
    `Muster cannot start without ${needed === 1 ? 'one more setting' : `${needed} more settings`}. ${list}`.trim(),
    ...(needsApp ? ['README.md, “Run it”, says how to make the Slack app. `npm run demo` needs none of this.'] : []),
    `Write ${missing.length === 1 ? 'this line' : 'these lines'} into the file .env in this folder, or set the environment:`,
    '',
    ...missing.flatMap(toLines),
  ];
}

/** The source has a line of its own: `docker --env-file` makes a comment behind a value part of the value. */
function toLines({ name, instead, because, isOptional }: MissingSetting): readonly string[] {
  const { source = '', example, meaning } = settingOf(name);
  const reason = isOptional ? `Optional: ${meaning}. ` : because ? `${because} needs it. ` : '';
  return [
    `# ${reason}${source}`,
    ...(instead
      ? [`# ${instead.when} ${instead.name}=${settingOf(instead.name).example} (${settingOf(instead.name).source})`]
      : []),
    `${isOptional ? '# ' : ''}${name}=${example}`,
  ];
}
