/** What became of the things of an export. */
export interface ImportSummary {
  readonly added: Record<CountedKind, number>;
  /** Were there already, from an import before or because this is where they came from. */
  readonly present: Record<CountedKind, number>;
  /** What was left out or changed on the way, in sentences. */
  readonly notes: string[];
}

/** What is counted. */
export type CountedKind = 'incidents' | 'roles' | 'people' | 'folders' | 'dashboards';

/** A tally of nothing. */
export function createSummary(): ImportSummary {
  const none = () => ({ incidents: 0, roles: 0, people: 0, folders: 0, dashboards: 0 });
  return { added: none(), present: none(), notes: [] };
}

/** The tally as people read it. */
export function formatSummary({ added, present, notes }: ImportSummary): string {
  const sorts: readonly CountedKind[] = ['incidents', 'roles', 'people', 'folders', 'dashboards'];
  const lines = sorts.map(sort => `${sort}: ${added[sort]} added, ${present[sort]} there already`);
  const shown = [...new Set(notes)];
  return `${[...lines, ...shown.map(note => `- ${note}`)].map(line => line.replace(/\p{Cc}+/gu, ' ')).join('\n')}\n`;
}
