import type { Feature } from './dispatch/feature/feature.ts';
import { alerts } from './features/alerts/feature.ts';
import { call } from './features/call/feature.ts';
import { catchup } from './features/catchup/feature.ts';
import { dash } from './features/dash/feature.ts';
import { declare } from './features/declare/feature.ts';
import { edit } from './features/incident/edit.ts';
import { doctor } from './features/me/doctor.ts';
import { whoami } from './features/me/whoami.ts';
import { timeline } from './features/messages/feature.ts';
import { page } from './features/page/feature.ts';
import { pager } from './features/pager/feature.ts';
import { record } from './features/record/feature.ts';
import { reminders } from './features/reminders/feature.ts';
import { resolve } from './features/resolve/feature.ts';
import { role } from './features/role/feature.ts';
import { archive } from './features/room/archive.ts';
import { receipts, room } from './features/room/feature.ts';
import { status } from './features/status/feature.ts';
import { task } from './features/task/feature.ts';
import { note } from './features/timeline/feature.ts';
import { update } from './features/update/feature.ts';

/** Everything people can do, in the order help shows it. The router, help, the manifest and the cards read this list. */
export const features: readonly Feature[] = [
  declare,
  update,
  call,
  pager,
  record,
  edit,
  task,
  role,
  note,
  dash,
  status,
  catchup,
  resolve,
  alerts,
  room,
  receipts,
  archive,
  timeline,
  page,
  doctor,
  whoami,
  reminders,
];
