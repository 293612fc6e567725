import type { Feature } from './feature.ts';
import { dash } from './features/dash.ts';
import { declare } from './features/declare.ts';
import { drill } from './features/drill.ts';
import { label } from './features/label.ts';
import { note } from './features/note.ts';
import { resolve } from './features/resolve.ts';
import { role } from './features/role.ts';
import { severity } from './features/severity.ts';
import { status } from './features/status.ts';
import { task } from './features/task.ts';
import { timeline } from './features/timeline.ts';
import { times } from './features/times.ts';
import { title } from './features/title.ts';

/** Everything people can do, in the order help shows it. The router, help, the manifest and the cards read this list. */
export const features: readonly Feature[] = [
  declare,
  resolve,
  status,
  severity,
  title,
  label,
  drill,
  times,
  task,
  role,
  dash,
  note,
  timeline,
];
