import type { Feature } from './dispatch/feature.ts';
import { archive } from './features/archive.ts';
import { dash } from './features/dash/dash.ts';
import { declare } from './features/declare/declare.ts';
import { doctor } from './features/doctor.ts';
import { drill } from './features/drill.ts';
import { label } from './features/label.ts';
import { note } from './features/note/note.ts';
import { receipts } from './features/receipts.ts';
import { record } from './features/record/record.ts';
import { resolve } from './features/resolve/resolve.ts';
import { role } from './features/role/role.ts';
import { room } from './features/room.ts';
import { severity } from './features/severity.ts';
import { status } from './features/status/status.ts';
import { task } from './features/task/task.ts';
import { timeline } from './features/timeline/timeline.ts';
import { times } from './features/times.ts';
import { title } from './features/title.ts';
import { update } from './features/update/update.ts';
import { whoami } from './features/whoami.ts';

/** Everything people can do, in the order help shows it. The router, help, the manifest and the cards read this list. */
export const features: readonly Feature[] = [
  declare,
  resolve,
  record,
  status,
  update,
  severity,
  title,
  label,
  drill,
  times,
  room,
  receipts,
  task,
  archive,
  role,
  dash,
  note,
  timeline,
  doctor,
  whoami,
];
