/** A parameter that every engine can store. Postgres stores no NUL, so NUL is removed on SQLite too. */
export function toStorable(parameter: unknown): unknown {
  return typeof parameter === 'string' && parameter.includes('\0') ? parameter.replaceAll('\0', '') : parameter;
}
