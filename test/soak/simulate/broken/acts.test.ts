import { actVariants } from '../variants/acts.ts';
import { testNoticed } from './noticed.ts';

testNoticed(actVariants);
