import { run } from '../../src/main.ts';
import { withPauses } from './deadlines.ts';

/* `muster` with the deadlines of tests: a test that starts a process runs this in place of `src/main.ts`. */

await run({ deadlines: withPauses });
