import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { help } from '../../../src/bot/dispatch/command/help.ts';
import { allVerbs, menuEntries } from '../../../src/bot/dispatch/feature/feature.ts';
import { features } from '../../../src/bot/features.ts';
import { settingNames, settingOf } from '../../../src/config/settings.ts';
import { defaultOptions } from '../../../src/service/call/options.ts';
import { pages } from '../../docs/pages.ts';
import { describeCondition } from '../../docs/settings-page.ts';
import { allCommands, nameOf, openWholeProgram } from '../../support/program.ts';

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

test.each(pages)('$path is what `npm run docs` writes', ({ path, write }) => {
  expect(read(path)).toBe(write());
});

test('docs/settings.md lists exactly the settings there are, with their defaults', () => {
  const rows = [
    ...read('docs/settings.md').matchAll(/^\| `([A-Z_]+)` \| (.*?) \| (.*?)(?: \(secret\))? \| `.*` \|$/gm),
  ];
  expect(rows.map(row => [row[1], row[2], row[3]])).toEqual(
    settingNames.map(name => {
      const { default: fallback, meaning, worksOnly = [] } = settingOf(name);
      const conditions = worksOnly.map(each => `; ${describeCondition(each)}`).join('');
      return [name, fallback === '' ? '–' : `\`${fallback}\``, `${meaning}${conditions}`];
    }),
  );
});

test('docs/settings.md shows the defaults of SERVICE_OPTIONS as they are', () => {
  const shown = /```json\n(\{\n {2}"rolesNeedAdmin"[\s\S]*?\n\})\n```/.exec(read('docs/settings.md'))?.[1];
  expect(defaultOptions).toMatchObject(JSON.parse(shown ?? 'null'));
});

test('docs/commands.md has every verb and shortcut that help tells, and every subcommand', async () => {
  const page = read('docs/commands.md');
  const verbs = allVerbs(features);
  const told = JSON.stringify(help(verbs, menuEntries(features), 'muster', { isWhole: true }));
  for (const { noun, verb, synonymOf } of verbs) {
    if (synonymOf === undefined) expect(told).toContain(`/${noun} ${verb}`);
    expect(page).toContain(synonymOf === undefined ? `/${noun} ${verb}` : `\`${verb}`);
  }
  for (const { name } of menuEntries(features)) {
    expect(told).toContain(name);
    expect(page).toContain(`**${name}**`);
  }
  const [, ...commands] = allCommands(await openWholeProgram());
  for (const command of commands) expect(page).toContain(`#### \`${nameOf(command)}`);
});
