import { inject } from 'vitest';

/** Whether this is `npm run test:long`, in which some soak tests have a longer form than in `.ci/run`. */
export const isLong = inject('isLong') ?? false;
