/** What the lane and the id of an incident that the API does not know yet begin with. */
export const provisional = '~';

/** The lane of a declaration, and the id of its incident until the API has given it one. */
export function provisionalID(intentID: string): string {
  return `${provisional}${intentID}`;
}

/** Whether an incident is declared but not registered with the API. */
export function isProvisional(incidentID: string): boolean {
  return incidentID.startsWith(provisional);
}

/** What an incident is called in a sentence, as plain text. */
export function incidentName(incidentID: string): string {
  return isProvisional(incidentID) ? 'this incident' : `incident ${incidentID}`;
}

/** The id of the declaration behind a provisional incident. */
export function declarationOf(incidentID: string): string {
  return incidentID.slice(provisional.length);
}

const provisionalIDs = /~[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

/** The first id in a text that an incident had before it was registered; `""` when there is none. */
export function provisionalIn(text: string): string {
  return provisionalIDs.exec(text)?.[0] ?? '';
}
