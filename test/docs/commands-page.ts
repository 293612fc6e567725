import type { Command, Option } from 'commander';
import { allVerbs, menuEntries, otherWords, type Verb } from '../../src/bot/dispatch/feature/feature.ts';
import { features } from '../../src/bot/features.ts';
import { settingNames, settingOf } from '../../src/config/settings.ts';
import { allCommands, examplesOf, nameOf, openWholeProgram, shownCommands } from '../support/program.ts';
import { toMarkdownTable, toPage } from './markdown.ts';

const program = await openWholeProgram();

/** docs/commands.md. */
export function writeCommands(): string {
  return toPage('the features of the bot and from `src/commands/`', [
    '# Commands',
    '- [What you can type in Slack](#what-you-can-type-in-slack)\n- [What operators can type in a shell](#what-operators-can-type-in-a-shell)',
    ...writeSlack(),
    ...writeShell(),
  ]);
}

function writeSlack(): readonly string[] {
  const verbs = allVerbs(features).filter(verb => verb.synonymOf === undefined);
  const nouns = [...new Set(verbs.map(verb => verb.noun))];
  return [
    '## What you can type in Slack',
    [
      '`/muster help all` shows this list in Slack, and `help` after any command tells more about it.',
      '`/muster` carries every command (`/muster task add …`), and so does mentioning the bot, also in a thread.',
      'A command that is about an incident finds it by the channel; elsewhere Muster asks which one, unless you name it behind the verb (`7`, `INC-7`, its channel) or add `--incident 7`. A noun alone (`/task`) lists.',
    ].join(' '),
    ...nouns.flatMap(noun => [
      `### /${noun}`,
      toMarkdownTable(
        ['you type', 'what happens', 'also'],
        verbs
          .filter(verb => verb.noun === noun)
          .map(verb => [
            `\`/${noun} ${verb.verb}${verb.usage ? ` ${verb.usage}` : ''}\``,
            toMeaning(verb),
            toAliases(verb),
          ]),
      ),
    ]),
    '### Menus',
    toMarkdownTable(
      ['entry', 'where', 'what happens'],
      menuEntries(features).map(each => [
        `**${each.name}**`,
        each.kind === 'message' ? 'the menu of a message' : 'the shortcuts menu',
        each.description,
      ]),
    ),
  ];
}

/** The summary, and what the flags mean that are not every incident command's, those of older words too. */
function toMeaning(verb: Verb): string {
  const flags = [verb, ...(verb.words ?? [])]
    .flatMap(each => Object.entries(each.flags ?? {}))
    .filter(([name, { hint }]) => name !== 'incident' && hint !== undefined)
    .map(([name, { hint }]) => `\`--${name}\`: ${hint}`);
  return [verb.summary, ...flags].join('<br>');
}

function toAliases(verb: Verb): string {
  return otherWords(verb)
    .map(alias => `\`${alias}\``)
    .join(', ');
}

function writeShell(): readonly string[] {
  const groups = Map.groupBy(shownCommands(program), command => command.helpGroup());
  return [
    '## What operators can type in a shell',
    [
      'In the folder of the repository, `npx muster …` runs these commands, and so does `npm run -s muster -- …`.',
      'In a container or under a supervisor, it is `node bin/muster.js …`. `muster help` lists the commands, and `--help` after one tells its options.',
    ].join(' '),
    `A command that works on the database takes \`--database <url>\`, which says where it is instead of \`DATABASE_URL\` (\`${settingOf('DATABASE_URL').default}\` unless set).`,
    ...[...groups].flatMap(([heading, commands]) => [
      `### ${heading.replace(':', '')}`,
      ...commands.flatMap(command => allCommands(command).flatMap(writeCommand)),
    ]),
  ];
}

function writeCommand(command: Command): readonly string[] {
  const words = command.registeredArguments.map(each => (each.required ? `<${each.name()}>` : `[${each.name()}]`));
  const needed = command.options.filter(each => each.mandatory).map(each => each.flags);
  const isGroup = command.commands.length > 0;
  const description = `${command.description()}.`;
  // Told once, above.
  const options = command.options.filter(option => !option.hidden && option.envVar !== 'DATABASE_URL');
  return [
    `#### \`${[nameOf(command), ...words, ...needed].join(' ')}\``,
    description[0]?.toUpperCase() + description.slice(1),
    ...(isGroup ? [] : [`\`\`\`sh\n${examplesOf(command).join('\n')}\n\`\`\``]),
    ...(options.length === 0
      ? []
      : [
          toMarkdownTable(
            ['option', 'meaning', 'default', 'environment'],
            options.map(option => [
              `\`${option.flags}\``,
              meaningOf(option),
              option.mandatory ? 'required' : toDefault(option.defaultValue),
              option.envVar === undefined ? '' : `\`${option.envVar}\``,
            ]),
          ),
        ]),
  ];
}

/** A setting's meaning as Markdown, or an option's own, which has no Markdown in it. */
function meaningOf({ envVar, description }: Option): string {
  const setting = settingNames.find(name => name === envVar);
  return setting ? settingOf(setting).meaning : description.replaceAll('<', '\\<');
}

function toDefault(value: unknown): string {
  return typeof value === 'string' && value !== '' ? `\`${value}\`` : '';
}
