/** The result of an import. */
export interface ImportSummary {
  readonly added: Record<(typeof kinds)[number], number>;
  /** Existed already, from an earlier import or as the original. */
  readonly present: Record<(typeof kinds)[number], number>;
  /** What was left out or changed, in sentences. */
  readonly notes: string[];
}

const kinds = ['incidents', 'roles', 'people', 'folders', 'dashboards'] as const;

/** A summary with nothing in it. */
export function createSummary(): ImportSummary {
  const none = () => ({ incidents: 0, roles: 0, people: 0, folders: 0, dashboards: 0 });
  return { added: none(), present: none(), notes: [] };
}

/** The summary for people. */
export function formatSummary({ added, present, notes }: ImportSummary): string {
  const lines = kinds.map(kind => `${kind}: ${added[kind]} added, ${present[kind]} there already`);
  const shown = [...new Set(notes)];
  return `${[...lines, ...shown.map(note => `- ${note}`)].map(line => line.replace(/\p{Cc}+/gu, ' ')).join('\n')}\n`;
}
