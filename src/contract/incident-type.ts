/** Who sees an incident: all who may read incidents, or only its people (docs/api-rules.md A6, Private incidents). */
export const incidentTypes = ['internal', 'private'] as const;
/** One of {@link incidentTypes}. */
export type IncidentType = (typeof incidentTypes)[number];

/**
 * Header that gives an incident its type: an extension of ours that Grafana ignores. The embedded service heeds it when an incident
 * is declared and with every later change of it, or refuses that change.
 */
export const incidentTypeHeader = 'x-muster-incident-type';

/** The type that the header's value names, in any case; undefined when it names none. */
export function readIncidentType(value: string): IncidentType | undefined {
  return incidentTypes.find(each => each === value.trim().toLowerCase());
}
