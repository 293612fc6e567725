import { toMentioning } from '../../../src/bot/people/kept-mentions.ts';
import { Scrubber } from '../../../src/erase/erase.ts';
import { sources } from '../imports.ts';
import type { Expression } from './expressions.ts';

/*
 * Prints, as JSON, the expressions that the code of `src/` makes of text with `new RegExp`: when its files are loaded, and when its makers meet
 * hostile words. It has a process of its own, since a file is loaded once.
 */

const made: Expression[] = [];
const isOurs = /\/(src\/[^():]+\.ts):\d+/;
globalThis.RegExp = new Proxy(globalThis.RegExp, {
  construct(target, args, as) {
    const pattern: RegExp = Reflect.construct(target, args, as);
    const [, path = ''] = isOurs.exec(new Error().stack ?? '') ?? [];
    if (path !== '') made.push({ path, source: pattern.source, flags: pattern.flags });
    return pattern;
  },
});
/** With these a process or a thread begins. */
const entries = ['src/main.ts', 'src/db/hang-worker.ts'];
for (const path of sources) if (!entries.includes(path)) await import(`../../../${path}`);

const words = ['a', 'aa', 'a a', '(a+)+$', '@a', 'a.a@example.com', 'a'.repeat(80)];
toMentioning(
  'a',
  words.map(shown => ({ kind: 'user', id: 'U1', shown })),
  100,
);
new Scrubber(
  { userIDs: words, slackIDs: ['U1', 'U11'], names: words, emails: words, photoURLs: words },
  { name: 'a', userIDs: words, slackID: 'U2' },
);
process.stdout.write(JSON.stringify(made));
process.exit(0);
