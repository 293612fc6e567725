/** A JSON object whose members nobody has checked yet: what apps send to Slack. */
export type JsonObject = Record<string, unknown>;

/** Whether a value is a JSON object (not null, not a list). */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value as an object, or an empty one. */
export function toObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** The objects of a list; anything else in it, or not a list at all, is left out. */
export function toObjects(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** The value as text: strings as they are, numbers and booleans written out, everything else empty. */
export function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}
