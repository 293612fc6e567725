import { registerDemo } from '../../playground/main.ts';
import { run } from '../../src/main.ts';
import { withPauses } from './deadlines.ts';
import { patientMuster } from './muster-process.ts';

/* `npm run demo` with the deadlines of tests, those of its bot too. */

await run({ deadlines: withPauses, register: (program, host) => registerDemo(program, host, patientMuster) });
