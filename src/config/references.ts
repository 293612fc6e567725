import type { SettingValues } from './settings.ts';

type Severities = Pick<SettingValues, 'SEVERITIES'>;

/** The severity as `SEVERITIES` spells it; undefined for a name that is none. */
export function findSeverity({ SEVERITIES }: Severities, name: string): string | undefined {
  return SEVERITIES.find(each => each.toLowerCase() === name.toLowerCase());
}

/** A sentence for each name in a setting that another setting does not have: a severity, or the pager of a chain. */
export function findStrangers(
  env: Severities & Pick<SettingValues, 'ROOMS_FOR' | 'ALERTS_DECLARE' | 'SEVERITY_MEANINGS' | 'CALL' | 'PAGERS'>,
): readonly string[] {
  const { ROOMS_FOR, ALERTS_DECLARE } = env;
  const CALL = env.CALL.flatMap(({ at, name }) => (at === 'severity' ? [name] : []));
  const named = { ROOMS_FOR, ALERTS_DECLARE, SEVERITY_MEANINGS: [...env.SEVERITY_MEANINGS.keys()], CALL };
  const severities = Object.entries(named).flatMap(([setting, names]) =>
    names.flatMap((each, index) =>
      findSeverity(env, each) === undefined
        ? [`${setting} severity ${index + 1} must be one that SEVERITIES names.`]
        : [],
    ),
  );
  return [...severities, ...findUnknownPagers(env)];
}

function findUnknownPagers({ CALL, PAGERS }: Pick<SettingValues, 'CALL' | 'PAGERS'>): readonly string[] {
  const named = CALL.flatMap(({ targets }) => targets.flatMap(each => (each.kind === 'pager' ? [each.name] : [])));
  const unknown = new Set(named.filter(name => PAGERS.every(each => each.name !== name)));
  return [...unknown].map(name => `CALL pager ${name} must be one that PAGERS names.`);
}
