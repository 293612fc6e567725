import { alertVariants } from '../variants/alerts.ts';
import { testNoticed } from './noticed.ts';

testNoticed(alertVariants);
