/** A JSON object with unchecked members, such as an app sends. */
export type JsonObject = Record<string, unknown>;

/** Whether a value is a JSON object (not null, not a list). */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value as an object, or an empty one. */
export function toObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** The objects in a list. Other items are left out; a value that is no list gives an empty list. */
export function toObjects(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** The value as text: strings as they are, numbers and booleans written out, everything else empty. */
export function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}
