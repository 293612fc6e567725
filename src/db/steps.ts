/** A step of a schema that a database has seen. */
export interface SeenStep {
  readonly part: string;
  readonly name: string;
}

/** The table in which a database names the steps that it has seen. */
export type StepTables = { schema_migration: { part: string; name: string; applied_at: string } };

/** Steps that a version knows, by their part, in order. */
export type KnownSteps = Readonly<Record<string, readonly { readonly name: string }[]>>;

/** A step that this version does not know. */
interface ForeignStep extends SeenStep {
  /** `newer`: all that this version knows was made before. `another`: a version made it that this one does not follow on. */
  readonly line: 'newer' | 'another';
  /** What is wrong, as a phrase that follows the name of the database. */
  readonly found: string;
  /** What to do: a sentence. */
  readonly fix: string;
}

/**
 * The first step that a database has seen and this version does not know; undefined when it knows all. Names begin with a number, so a
 * newer Muster's come behind those that are known here. A part of which nothing is known is not looked at.
 */
export function findForeign(seen: readonly SeenStep[], known: KnownSteps): ForeignStep | undefined {
  for (const [part, steps] of Object.entries(known)) {
    const own = seen.filter(each => each.part === part).map(each => each.name);
    const names = steps.map(each => each.name);
    const strange = own.filter(name => !names.includes(name)).toSorted();
    const [name] = strange;
    if (name === undefined) continue;
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
