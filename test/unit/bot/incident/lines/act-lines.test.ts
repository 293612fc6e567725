import { expect, test } from 'vitest';
import { tellingOf } from '../../../../../src/bot/incident/lines/act-lines.ts';

type Circumstances = Parameters<typeof tellingOf>[0];

/** A change that its first attempt made, of a kind that sets facts. */
const made: Circumstances = {
  ...{ facts: 'new', appliedNow: true, isUnsure: false, isFound: false, isRestored: false },
  ...{ isFindable: true, takesBack: false },
};
/** An earlier attempt, whose answer was lost, may have made it. */
const unsure = { isUnsure: true, appliedNow: false } as const;
/** The database took an older state again since. */
const restored = { isRestored: true } as const;

test.each<[name: string, telling: ReturnType<typeof tellingOf>, circumstances: Partial<Circumstances>]>([
  ['a change', 'add', {}],
  ['a note, which sets no facts', 'add', { facts: 'none' }],
  ['what was so before', 'nothing', { facts: 'unchanged', appliedNow: false }],
  ['what was so before, of an act that undoes another one', 'nothing', { facts: 'unchanged', takesBack: true }],
  ['a state that the room knows, which this act set', 'add', { facts: 'known' }],
  ['a lost answer, and a state that the room does not know', 'add', { ...unsure }],
  ['a lost answer, and a state that the room knows', 'nothing', { ...unsure, facts: 'known' }],
  ['a lost answer, and the next attempt changed it', 'add', { isUnsure: true, facts: 'known' }],
  ['a lost answer of a note', 'add', { ...unsure, facts: 'none' }],
  ['a change that an earlier attempt made, as the next one found', 'add', { isFound: true, appliedNow: false }],
  ['an undo of what the room was told', 'mark', { takesBack: true }],
  ['an undo whose answer was lost', 'mark', { ...unsure, takesBack: true }],
  ['after a restoration, a note that was found', 'nothing', { ...restored, facts: 'none', isFound: true }],
  [
    'after a restoration, a note that can be found and was not',
    'look for it',
    { ...restored, ...unsure, facts: 'none' },
  ],
  [
    'after a restoration, what cannot be found',
    'nothing',
    { ...restored, ...unsure, facts: 'none', isFindable: false },
  ],
  ['after a restoration, facts that may have been set before', 'nothing', { ...restored, ...unsure }],
  ['after a restoration, an act that had not begun', 'look for it', { ...restored }],
  ['after a restoration, an undo that had not begun', 'mark', { ...restored, takesBack: true }],
])('%s: %s', (_name, telling, circumstances) => {
  expect(tellingOf({ ...made, ...circumstances })).toBe(telling);
});
