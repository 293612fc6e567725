import { activityChecks } from './activity-checks.ts';
import type { Check } from './check.ts';
import { dashboardChecks } from './dashboard-checks.ts';
import { incidentChecks } from './incident-checks.ts';
import { listingChecks } from './listing-checks.ts';
import { peopleChecks } from './people-checks.ts';
import { roleChecks } from './role-checks.ts';
import { shortUrlChecks } from './short-url-checks.ts';
import { taskChecks } from './task-checks.ts';
import { userChecks } from './user-checks.ts';
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
