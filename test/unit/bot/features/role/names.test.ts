import { expect, test } from 'vitest';
import type { Context } from '../../../../../src/bot/dispatch/feature/context.ts';
import { findRole } from '../../../../../src/bot/features/role/names.ts';
import { openVerbs } from '../../../../support/verbs.ts';

/** Finds roles, and counts how often the API was asked for the list. */
async function openCounted() {
  const { place, now } = await openVerbs();
  const { deps } = place;
  let reads = 0;
  const RolesService = {
    ...deps.api.RolesService,
    GetRoles: (...call: Parameters<typeof deps.api.RolesService.GetRoles>) => {
      reads += 1;
      return deps.api.RolesService.GetRoles(...call);
    },
  };
  const ctx = { deps: { ...deps, api: { ...deps.api, RolesService } }, now: now() } as unknown as Context;
  return { find: (typed: string) => findRole(ctx, typed), reads: () => reads };
}

test('a role that is known is found without reading the roles anew', async () => {
  const { find, reads } = await openCounted();
  for (const typed of ['commander', 'Observer', '']) expect((await find(typed)).choice.isRead).toBe(true);
  expect(reads()).toBe(1);
});

test('a role that is not among those read before may have been made since', async () => {
  const { find, reads } = await openCounted();
  await find('commander');
  expect((await find('wizard')).match).toHaveProperty('problem');
  expect(reads()).toBe(2);
});
