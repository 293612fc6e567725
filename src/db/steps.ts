import { type TablesOf, table, text } from './tables.ts';

/** A step of a schema that a database has seen. */
export interface SeenStep {
  readonly part: string;
  readonly name: string;
}

/** The table in which a database names the steps that it has seen. */
export const stepTable = table({
  name: 'schema_migration',
  columns: { part: text(), name: text(), applied_at: text() },
  key: ['part', 'name'],
  isShared: true,
});
/** {@link stepTable}, as Kysely sees it. */
export type StepTables = TablesOf<[typeof stepTable]>;

/** The version that left the baselines: the first step of each part is all that its tables had there. */
const baseline = { version: '0.12.0', commit: '39c3d564' };

/** Steps that a version knows, by their part, in order. */
export type KnownSteps = Readonly<Record<string, readonly { readonly name: string }[]>>;

/** A step that this version does not know. */
interface ForeignStep extends SeenStep {
  /**
   * `older`: it comes before all that this version knows. `newer`: all that this version knows was made before. `another`: a version made it
   * that this one does not follow on.
   */
  readonly line: 'older' | 'newer' | 'another';
  /** What is wrong, as a phrase that follows the name of the database. */
  readonly found: string;
  /** What to do: a sentence. */
  readonly fix: string;
}

/**
 * A step that a database has seen and this version cannot go on from; undefined when it can. Names begin with a number, so a newer Muster's
 * come behind those that are known here. Steps before the first one that is known have become a part of it: a database that has seen that one
 * may name them too. A part that this version does not know is not looked at.
 */
export function findForeign(seen: readonly SeenStep[], known: KnownSteps): ForeignStep | undefined {
  for (const [part, steps] of Object.entries(known)) {
    const own = seen.filter(each => each.part === part).map(each => each.name);
    const names = steps.map(each => each.name);
    const [first = ''] = names;
    const isPast = (name: string) => name < first && own.includes(first);
    const strange = own.filter(name => !names.includes(name) && !isPast(name)).toSorted();
    const [name] = strange;
    if (name === undefined) continue;
    if (own.every(each => each < first)) {
      const { version, commit } = baseline;
      const found = `lacks the step “${first}” of “${part}”: a Muster before ${version} was the last to use it`;
      const fix = `Start Muster ${version} on it once (git checkout ${commit} && npm ci && npm start), then this version. To restore a copy from then, use ${version} too.`;
      return { part, name, line: 'older', found, fix };
    }
    const lacks = names.find(each => !own.includes(each));
    const last = names.at(-1) ?? '';
    const step = `has the step “${name}” of “${part}”, which this version does not know`;
    if (lacks === undefined && strange.every(each => each > last)) {
      const fix = 'Start that version, or restore a backup.';
      return { part, name, line: 'newer', found: `${step}: it was last used by a newer Muster`, fix };
    }
    const place = lacks === undefined ? 'amid those that it knows' : `and lacks “${lacks}”, which it does`;
    return {
      ...{ part, name, line: 'another' },
      found: `${step}, ${place}: another line of Muster made it, or one from before the first release`,
      fix: 'Use the Muster that made it, restore a backup, or name an empty database.',
    };
  }
  return undefined;
}
