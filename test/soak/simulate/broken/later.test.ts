import { laterVariants } from '../variants/later.ts';
import { testNoticed } from './noticed.ts';

testNoticed(laterVariants);
