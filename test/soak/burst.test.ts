import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countedIn, namedIn, openBurst } from '../support/burst.ts';

/** Incidents that come together, how long nothing comes afterwards, in seconds, and whether Muster dies while it takes them up. */
const arrivals = fc.array(
  fc.record({
    count: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 5, max: 35 })),
    wait: fc.constantFrom(0, 20, 70),
    isKilled: fc.boolean(),
    isTurned: fc.boolean(),
  }),
  { minLength: 1, maxLength: 4 },
);

test('any arrival of 1–140 incidents, in any order, with processes that die: each is told once, oldest first, and later news find it', async () => {
  await fc.assert(
    fc.asyncProperty(arrivals, fc.array(fc.nat(), { minLength: 3, maxLength: 3 }), async (steps, later) => {
      const { make, look, begin, pass, restart, top, elsewhere, alerts } = await openBurst();
      const all: string[] = [];
      const told = () => top().reduce((sum, each) => sum + namedIn(each).length + countedIn(each), 0);
      for (const { count, wait, isKilled, isTurned } of steps) {
        const ids = await make(Array.from({ length: count }, (_, at) => `Node ${all.length + at + 1} is gone`));
        all.push(...ids);
        // The API lists the newest change first.
        const turned = isTurned ? ids.toReversed() : [];
        for (const incidentID of turned)
          await elsewhere.IncidentsService.AddLabel({ incidentID, label: { label: 'turned' } });
        if (isKilled) {
          await begin();
          await restart();
        }
        await look();
        // A process catches up once a second.
        await expect.poll(told, { timeout: 20_000 }).toBe(all.length);
        pass(wait * 1000);
      }
      const named = top().flatMap(namedIn);
      expect(new Set(named).size).toBe(named.length);
      for (const each of top()) expect(namedIn(each)).toEqual(namedIn(each).toSorted((a, b) => Number(a) - Number(b)));
      expect(named).toEqual(named.toSorted((a, b) => Number(a) - Number(b)));
      // Five are announced each within a minute; the others have one message.
      expect(top().length).toBeLessThanOrEqual(steps.length * 6);
      const alone = top().filter(each => each.text.startsWith('Incident ')).length;
      expect(top().length - alone).toBeLessThanOrEqual(steps.filter(each => each.wait === 70).length + 1);

      for (const incidentID of new Set(later.map(each => all[each % all.length] ?? ''))) {
        const news = () =>
          alerts.messages.filter(each => each.text.includes(`#${incidentID} `) && !top().includes(each));
        await elsewhere.IncidentsService.UpdateStatus({ incidentID, status: 'resolved' });
        await look();
        await expect.poll(() => news().length, { timeout: 20_000 }).toBe(1);
        expect(news()[0]?.text).toContain('resolved');
        const thread = top().find(each => each.ts === news()[0]?.threadTs);
        const names = thread ? namedIn(thread) : [];
        expect(names.includes(incidentID) || (thread && countedIn(thread) > 0)).toBe(true);
      }
    }),
    { numRuns: 8 },
  );
}, 180_000);
