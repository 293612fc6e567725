import { expect, test } from 'vitest';
import { down, losingAnswer, openJournals, pass } from '../../../support/journal-world.ts';

/** A submission whose answer was lost rejects; its person reads that it may have happened. */
const ofPerson = (asked: Promise<unknown>) => asked.catch((error: Error) => error.message);

/** More changes than these writes need. */
const numbers = Array.from({ length: 24 }, (_, index) => index + 1);

test.each(numbers)(
  'the answer to change %i of the journal is lost, and all that was stored is carried out once, in order',
  async number => {
    const { world, start } = await openJournals();
    const { write, catchUp, journal, states } = await start({ wrap: losingAnswer(number) });
    world.script.set('first', [down]);
    const asked = [ofPerson(write('1', 'first', { causes: [{ text: 'cause' }] }))];
    await expect.poll(async () => Object.keys(await states()).length).toBe(1);
    asked.push(ofPerson(write('2', 'second')), ofPerson(write('3', 'other', { subject: '2' })));
    for (let tick = 0; tick < 30; tick += 1) {
      pass(world, 1000);
      await catchUp();
    }
    await journal.idle();
    await Promise.all(asked);
    expect(await states()).toEqual({ done: 4 });
    expect(world.effects.filter(each => each.startsWith('1'))).toEqual(['1: first', '1: cause', '1: second']);
    expect(world.effects.filter(each => each.startsWith('2'))).toEqual(['2: other']);
  },
);
