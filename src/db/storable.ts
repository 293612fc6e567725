/** A parameter as every engine can take it: Postgres stores no NUL, so that none is stored or looked for anywhere. */
export function toStorable(parameter: unknown): unknown {
  return typeof parameter === 'string' && parameter.includes('\0') ? parameter.replaceAll('\0', '') : parameter;
}
