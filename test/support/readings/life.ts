import { alerts } from './life/alerts.ts';
import { calls } from './life/calls.ts';
import { changing } from './life/changing.ts';
import { dashboards } from './life/dashboards.ts';
import { asking, burst, elsewhere } from './life/elsewhere.ts';
import { ending, later } from './life/ending.ts';
import { home } from './life/home.ts';
import { mishaps } from './life/mishaps.ts';
import { notes } from './life/notes.ts';
import { declaring, help } from './life/opening.ts';
import { outage } from './life/outage.ts';
import { owed } from './life/owed.ts';
import { pager } from './life/pager.ts';
import { roles } from './life/roles.ts';
import { tasks } from './life/tasks.ts';
import type { Stage } from './stage.ts';

/** All that people do with Muster, once, and what goes wrong with it. */
export async function live(stage: Stage): Promise<void> {
  const chapters = [
    help,
    declaring,
    changing,
    tasks,
    roles,
    notes,
    dashboards,
    elsewhere,
    asking,
    home,
    outage,
    mishaps,
    ending,
    later,
    alerts,
    pager,
    owed,
    calls,
    // Nobody touches them afterwards: their message is edited together with what an act shows.
    burst,
  ];
  for (const chapter of chapters) await chapter(stage);
}
