import { activityChecks } from './activity-checks.ts';
import type { Check } from './check.ts';
import { dashboardChecks, shortUrlChecks } from './dashboard-checks.ts';
import { incidentChecks } from './incident-checks.ts';
import { listingChecks } from './listing-checks.ts';
import { peopleChecks, userChecks } from './people-checks.ts';
import { roleChecks } from './role-checks.ts';
import { taskChecks } from './task-checks.ts';
import { wireChecks } from './wire-checks.ts';

/** All checks, in order. */
export const checks: readonly Check[] = [
  ...wireChecks,
  ...incidentChecks,
  ...peopleChecks,
  ...listingChecks,
  ...activityChecks,
  ...taskChecks,
  ...roleChecks,
  ...userChecks,
  ...dashboardChecks,
  ...shortUrlChecks,
];
