import { runningVariants } from '../variants/running.ts';
import { testNoticed } from './noticed.ts';

testNoticed(runningVariants);
