import { writeFile } from 'node:fs/promises';
import { writeWords } from './words-page.ts';

/* `npm run words`: writes test/words.md. It takes half a minute, so `npm run docs` does not. test/soak/renderers holds it. */
const path = 'test/words.md';
await writeFile(new URL(`../../${path}`, import.meta.url), await writeWords());
process.stdout.write(`${path}\n`);
// Timers of the bot that is gone keep nothing waiting.
process.exit();
