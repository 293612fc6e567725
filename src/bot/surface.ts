import type { Feature } from './feature.ts';
import { declare } from './features/declare.ts';
import { note } from './features/note.ts';
import { task } from './features/task.ts';
import { timeline } from './features/timeline.ts';

/** Everything people can do, in the order help shows it. The router, help, the manifest and the cards read this list. */
export const features: readonly Feature[] = [declare, task, note, timeline];
