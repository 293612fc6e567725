/** Suites by name: the paths of their tests, and of the files whose change they watch. */
export const suites: Readonly<Record<string, { readonly tests: readonly RegExp[]; readonly watches: readonly RegExp[] }>>;
export function suitesFor(paths: readonly string[]): readonly string[];
