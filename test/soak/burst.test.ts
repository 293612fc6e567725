import fc from 'fast-check';
import { expect, test } from 'vitest';
import { burstRules } from '../../src/bot/incident/state/burst-store.ts';
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
      const { make, look, begin, pass, now, until, restart, top, elsewhere, alerts } = await openBurst();
      const all: string[] = [];
      const spans: { readonly from: number; readonly to: number }[] = [];
      const told = () => top().reduce((sum, each) => sum + namedIn(each).length + countedIn(each), 0);
      for (const { count, wait, isKilled, isTurned } of steps) {
        const from = now();
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
        await until(told, all.length);
        spans.push({ from, to: now() });
        pass(wait * 1000);
      }
      const named = top().flatMap(namedIn);
      expect(new Set(named).size).toBe(named.length);
      for (const each of top()) expect(namedIn(each)).toEqual(namedIn(each).toSorted((a, b) => Number(a) - Number(b)));
      expect(named).toEqual(named.toSorted((a, b) => Number(a) - Number(b)));
      // Five are announced each within a minute; the others have one message.
      expect(top().length).toBeLessThanOrEqual(steps.length * 6);
      const alone = top().filter(each => each.text.startsWith('Incident ')).length;
      const { within, growsFor } = burstRules;
      // They are found at some moment of their span.
      const pauses = spans.filter(({ to }, at) => to - (spans[at - 1]?.from ?? to) >= within).length;
      const lasts = now() - (spans[0]?.from ?? 0);
      expect(top().length - alone).toBeLessThanOrEqual(1 + pauses + Math.floor(lasts / growsFor));

      for (const incidentID of new Set(later.map(each => all[each % all.length] ?? ''))) {
        const news = () =>
          alerts.messages.filter(each => each.text.includes(`#${incidentID} `) && !top().includes(each));
        await elsewhere.IncidentsService.UpdateStatus({ incidentID, status: 'resolved' });
        await look();
        await until(() => news().length, 1);
        expect(news()[0]?.text).toContain('resolved');
        const thread = top().find(each => each.ts === news()[0]?.threadTs);
        const names = thread ? namedIn(thread) : [];
        expect(names.includes(incidentID) || (thread && countedIn(thread) > 0)).toBe(true);
      }
    }),
    // A smaller example would cost a whole wait each.
    { numRuns: 8, endOnFailure: true },
  );
});
