import { expect, test } from 'vitest';
import { startMuster } from '../../src/app.ts';
import { type Config, readConfig } from '../../src/config/config.ts';
import { type SettingName, settingNames } from '../../src/config/settings.ts';
import { openLog } from '../../src/operations/log.ts';
import { patient } from '../support/deadlines.ts';
import { openFakeGrafana } from '../support/fake-grafana.ts';
import { givenValues, modes, type Settings } from '../support/settings.ts';
import { openInstalledSlack } from '../support/workplace.ts';

/** The settings that `muster start` itself reads. */
const ofCommand: readonly SettingName[] = ['LOG_LEVEL'];

/** The members of the settings that a Muster reads when it starts with them. */
async function findRead(settings: Settings): Promise<ReadonlySet<string>> {
  const slack = await openInstalledSlack();
  const read = new Set<string>();
  const config = readConfig({
    ...settings,
    SLACK_BOT_TOKEN: slack.botToken,
    ...(settings.SLACK_APP_TOKEN ? { SLACK_APP_TOKEN: slack.appToken } : {}),
    ...(settings.GRAFANA_URL ? (await openFakeGrafana()).settings : {}),
    ...{ SLACK_API_URL: slack.apiUrl, DATABASE_URL: 'sqlite::memory:', PORT: '0' },
  });
  const watched = new Proxy(config, {
    get: (target, member) => {
      read.add(String(member));
      return Reflect.get(target, member);
    },
  });
  const muster = await startMuster(watched, openLog('silent'), { deadlines: patient() });
  await muster[Symbol.asyncDispose]();
  return read;
}

/** What is said of a setting, and the members that differ with it. */
function give(settings: Settings, name: SettingName) {
  const before = readConfig(settings);
  try {
    const after = readConfig({ ...settings, [name]: givenValues[name] });
    const members = Object.keys(after) as (keyof Config)[];
    const differs = members.filter(each => each !== 'warnings' && toText(after[each]) !== toText(before[each]));
    return { said: after.warnings.join('\n'), differs };
  } catch (error) {
    return { said: error instanceof Error ? error.message : String(error), differs: [] };
  }
}

const toText = (value: unknown) => JSON.stringify(value instanceof Map ? [...value] : value);

// Muster reads the same on Postgres, which has settings of its own in db/postgres.ts.
const ways = Map.groupBy(modes, ({ name }) => name.replace(/, \w+$/, ''));

test.each([...ways])('%s: each setting has an effect, is refused, or is warned of', async (_way, alike) => {
  const read = await findRead(alike[0]?.settings ?? {});
  for (const { name: mode, settings } of alike) {
    for (const name of settingNames.filter(each => !ofCommand.includes(each))) {
      const { said, differs } = give(settings, name);
      const isSaid = said.includes(name) && settingNames.some(other => other !== name && said.includes(other));
      expect(isSaid || differs.some(member => read.has(member)), `${name}, ${mode}: ${said}`).toBe(true);
      if (/^DATABASE_(POOL|STATEMENTS)$/.test(name)) expect(isSaid).toBe(settings.DATABASE_URL?.startsWith('sqlite:'));
    }
  }
});
