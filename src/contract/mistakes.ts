/**
 * The label of an incident that was declared by mistake. Neither API has a state for that: such an incident is resolved, is marked as a
 * drill, so that figures leave it out, and has this label, so that every reader of the API tells it from a drill.
 */
export const mistakeLabel = 'declared-by-mistake';

/** What of an incident tells whether it was declared by mistake; labels by name, or as the API gives them. */
export interface MaybeMistake {
  readonly status: string;
  readonly isDrill: boolean;
  readonly labels: readonly (string | { readonly label: string })[];
}

/** Whether an incident was declared by mistake. One that is open again was not. */
export function isMistake({ status, isDrill, labels }: MaybeMistake): boolean {
  return status === 'resolved' && isDrill && labels.some(isMistakeLabel);
}

/** Whether a label says that an incident was declared by mistake. */
export function isMistakeLabel(label: MaybeMistake['labels'][number]): boolean {
  return (typeof label === 'string' ? label : label.label) === mistakeLabel;
}

/** The labels that people gave an incident: its state says the one of a mistake. */
export function ownLabels<L extends { readonly label: string }>(
  incident: Pick<MaybeMistake, 'status' | 'isDrill'> & { readonly labels: readonly L[] },
): readonly L[] {
  return isMistake(incident) ? incident.labels.filter(label => !isMistakeLabel(label)) : incident.labels;
}
