import { join } from 'node:path';
import { expect, test } from 'vitest';
import { comeIn, linkIn, openBrowser } from '../support/browser-of.ts';
import { openFolder } from '../support/folder.ts';
import { openIncident } from '../support/incident-room.ts';
import { openProgram } from '../support/program.ts';

test('muster pages revoke signs one person out beside a running Muster, or everybody', async () => {
  const databaseFile = join(await openFolder(), 'muster.db');
  // The command has the clock of the machine.
  const clock = () => new Date();
  const { place, alice, bob, home, type } = await openIncident({ databaseFile, clock, settings: { PAGES: 'slack' } });
  const enter = async () => ({
    alices: (await comeIn(place, alice, home.name)).browser,
    bobs: (await comeIn(place, bob, home.name)).browser,
  });
  const statusOf = async ({ ask }: ReturnType<typeof openBrowser>) => (await ask('/incidents')).status;
  const revoke = async (...words: readonly string[]) => {
    const { said, run } = openProgram();
    await run('pages', 'revoke', '--database', `sqlite:${databaseFile}`, ...words);
    return said.noted;
  };
  const { alices, bobs } = await enter();
  const waiting = linkIn(await type('/muster page', alice, home));
  expect(await revoke('--person', alice.id)).toContain(`${alice.id} is signed out`);
  expect([await statusOf(alices), await statusOf(bobs)]).toEqual([401, 200]);
  expect((await openBrowser(place).post(waiting)).status).toBe(401);
  await expect(revoke('--person', 'nobody')).rejects.toThrow('Nobody with the id "nobody" is known');
  expect(await statusOf(bobs)).toBe(200);
  expect(await revoke('--person', `slack:${bob.id}`)).toContain('signed out');
  expect(await statusOf(bobs)).toBe(401);

  const anew = await enter();
  expect([await statusOf(anew.alices), await statusOf(anew.bobs)]).toEqual([200, 200]);
  expect(await revoke()).toContain('Everybody is signed out');
  expect([await statusOf(anew.alices), await statusOf(anew.bobs)]).toEqual([401, 401]);
});
