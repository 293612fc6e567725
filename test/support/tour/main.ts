import { playTale } from '../../../playground/demo.ts';
import { tour } from './tour.ts';

/* `npm run tour`: plays every command, button and form once in the terminal. It fails when a step had not its effect. */
const hasWorked = await playTale(text => void process.stdout.write(text), { tale: tour });
process.exitCode = hasWorked ? 0 : 1;
