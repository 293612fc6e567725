/** A JSON object from outside: nothing in it is certain. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value is an object, and neither null nor a list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value as an object; an empty one for anything else. */
export function toObject(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}
