import { type ButtonFace, pressable } from '../feature/feature.ts';

/** The button that catches a person up on an incident, as it looks. Its value is the incident. */
export const catchUpFace = { id: 'catchup', label: 'Catch me up' } as const;

/** The button itself: everything since the person last looked. */
export function catchUpButton(incidentID: string, face: Partial<ButtonFace> = {}) {
  return pressable(catchUpFace, { incidentID }, face);
}
