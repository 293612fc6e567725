/** What a provisional id begins with. */
export const provisionalMark = '~';

/** The subject and lane of an intent that brings a subject into being, until that has an id of its own. */
export function provisionalID(intentID: string): string {
  return `${provisionalMark}${intentID}`;
}

/** Whether a subject has no id of its own yet. */
export function isProvisional(subject: string): boolean {
  return subject.startsWith(provisionalMark);
}

/** The intent that brings a provisional subject into being. */
export function registrationOf(subject: string): string {
  return subject.slice(provisionalMark.length);
}

const pattern = /~[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** The provisional ids in a text, each once. */
export function provisionalIDsIn(text: string): readonly string[] {
  return text.includes(provisionalMark) ? [...new Set(text.match(pattern) ?? [])] : [];
}
