import { elsewhere } from '../../../playground/stories/elsewhere.ts';
import type { Tale } from '../../../playground/story.ts';
import { alerts } from './alerts.ts';
import { calls } from './calls.ts';
import { dashboards, notes } from './evidence.ts';
import { afterwards, changing, declaring, ending } from './incidents.ts';
import { pager, pagerSettings } from './pager.ts';
import { behindDoors, homeTab, oneself, roles, tasks } from './people.ts';
import { reminders } from './reminders.ts';
import { everything, sameStory } from './same-story.ts';

/** Everything that people can do with Muster, once. */
export const tour: Tale = {
  title: 'Muster shows everything it does',
  introduction: [
    'Every command, button, form and entry of a menu, one after the other. Each step is checked: ✓ says which words the person read ' +
      'afterwards. At the end, all places that tell of the incident are compared.',
  ],
  settings: { PAGES: 'open', ...pagerSettings },
  scenes: [
    oneself,
    declaring,
    changing,
    tasks,
    roles,
    notes,
    dashboards,
    elsewhere,
    alerts,
    pager,
    calls,
    homeTab,
    behindDoors,
    reminders,
    ending,
    afterwards,
    sameStory,
    everything,
  ],
};
