import { z } from 'zod';
import { catchUpButton } from '../../dispatch/answers/catch-up.ts';
import { pressable } from '../../dispatch/feature/feature.ts';

/** A call, and the incident to which it calls. */
export const OnCall = z.object({ incidentID: z.string(), call: z.string() });

/** The buttons that answer a call, as they look. */
export const answerFaces = {
  soon: { id: 'call.coming', label: 'Coming in 5 min', style: 'primary' },
  later: { id: 'call.coming.15', label: 'In 15 min' },
  late: { id: 'call.coming.30', label: 'In 30 min' },
  cannot: { id: 'call.cannot', label: 'Cannot' },
} as const;

/** The row below the question to somebody who is called. It opens the incident with a catch-up. */
export function answerRow(call: z.output<typeof OnCall>) {
  const { incidentID } = call;
  return [
    ...Object.values(answerFaces).map(face => pressable(face, call)),
    catchUpButton(incidentID, { label: 'Open' }),
  ];
}
