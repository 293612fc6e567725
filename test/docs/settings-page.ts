import { alertSourceMembers } from '../../src/config/alert-sources.ts';
import type { Condition } from '../../src/config/setting.ts';
import { settingNames, settingOf } from '../../src/config/settings.ts';
import { defaultOptions } from '../../src/service/call/options.ts';
import { serviceOptionsFile } from '../../src/service/call/options-file.ts';
import { toCode, toMarkdownTable, toPage } from './markdown.ts';

/** docs/settings.md. */
export function writeSettings(): string {
  return toPage('`src/config/` and `src/service/call/options-file.ts`', [
    '# Settings',
    [
      'Muster reads its settings once, when it starts: from the environment, and from the file `.env` in the folder it starts in.',
      'A variable that the environment sets wins over the file. A blank value counts as not set.',
    ].join(' '),
    [
      'In `.env`, write comments on lines of their own: `docker --env-file` makes a comment behind a value part of the value.',
      'Variables that Node itself reads, such as `NODE_EXTRA_CA_CERTS`, belong into the environment; in `.env` they come too late.',
    ].join(' '),
    [
      'A setting that is marked as secret may come from a file: `NAME_FILE` names it, as in `SLACK_BOT_TOKEN_FILE=/run/secrets/slack-bot-token`.',
      'Muster refuses to start when both are set. It warns of a variable that is no setting and looks like one.',
    ].join(' '),
    [
      'Some settings have an effect only with or without another one: “only with” and “not with” say so.',
      'Elsewhere Muster does not start with them, or warns where everything works all the same.',
    ].join(' '),
    toMarkdownTable(['name', 'default', 'meaning', 'example'], settingNames.map(toRow)),
    'The options of the subcommands that set the same are in [commands.md](commands.md), each with the name of its setting.',
    '## Where to find the values',
    settingNames
      .flatMap(name => {
        const { source } = settingOf(name);
        return source === undefined ? [] : [`- \`${name}\`: ${source}`];
      })
      .join('\n'),
    '## The file of SERVICE_OPTIONS',
    [
      '`SERVICE_OPTIONS` names a JSON file with further options of the embedded service.',
      'Every member may be left out. Muster does not start with a member that it does not know.',
    ].join(' '),
    toMarkdownTable(['member', 'default', 'meaning'], optionNames.map(toOptionRow)),
    'This file changes nothing, since it repeats the defaults:',
    `\`\`\`json\n${toDefaults()}\n\`\`\``,
    '## The file of ALERTS_SOURCES',
    [
      '`ALERTS_SOURCES` names a JSON file: an object. Its members are the sources of `ALERTS` for which the team decides something.',
      'Every member of a source may be left out. Muster does not start with a member that it does not know.',
    ].join(' '),
    toMarkdownTable(['member of a source', 'meaning'], describe(alertSourceMembers.shape)),
    [
      '`paths` maps the bodies of any tool. A path names one member by RFC 9535, with or without `$.` before it, as in `alerts[0].labels.severity`.',
      'Where a member has a list of paths, the first path with a value counts. `key`, `title`, `state` and `ended` are needed.',
      'The folder `deploy/alerts` has the paths of some tools; each of its files is the value of one source.',
    ].join(' '),
    toMarkdownTable(['member of paths', 'meaning'], describe(alertSourceMembers.shape.paths.unwrap().shape)),
  ]);
}

/** The members of a file, each with its meaning. */
function describe(
  shape: Readonly<Record<string, { readonly description?: string | undefined }>>,
): readonly (readonly string[])[] {
  return Object.entries(shape).map(([name, { description }]) => {
    if (description === undefined) throw new Error(`The member ${name} has no description.`);
    return [toCode(name), description];
  });
}

/** A condition in the words of docs/settings.md. */
export function describeCondition({ of, must }: Condition): string {
  if (must === 'name a Postgres') return `only with a Postgres in \`${of}\``;
  return `${must === 'be set' ? 'only with' : 'not with'} \`${of}\``;
}

const optionNames = Object.keys(serviceOptionsFile.shape) as (keyof typeof serviceOptionsFile.shape)[];

function toRow(name: (typeof settingNames)[number]): readonly string[] {
  const setting = settingOf(name);
  const conditions = (setting.worksOnly ?? []).map(each => `; ${describeCondition(each)}`).join('');
  const secrecy = setting.isSecret ? ' (secret)' : '';
  return [toCode(name), toCode(setting.default), `${setting.meaning}${conditions}${secrecy}`, toCode(setting.example)];
}

function toOptionRow(name: (typeof optionNames)[number]): readonly string[] {
  const value = defaultOptions[name];
  const meaning = serviceOptionsFile.shape[name].description;
  if (meaning === undefined) throw new Error(`The member ${name} of SERVICE_OPTIONS has no description.`);
  return [toCode(name), toCode(value === undefined ? '' : JSON.stringify(value)), meaning];
}

/** The defaults as a file, one member a line. */
function toDefaults(): string {
  const lines = optionNames
    .filter(name => defaultOptions[name] !== undefined)
    .map(
      name =>
        `  "${name}": ${JSON.stringify(defaultOptions[name])
          .replaceAll(/([{:,])(?=\S)/g, '$1 ')
          .replace('}', ' }')}`,
    );
  return `{\n${lines.join(',\n')}\n}`;
}
