import { dayVariants } from '../variants/days.ts';
import { testNoticed } from './noticed.ts';

testNoticed(dayVariants);
