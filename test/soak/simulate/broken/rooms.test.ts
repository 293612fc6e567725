import { roomVariants } from '../variants/rooms.ts';
import { testNoticed } from './noticed.ts';

testNoticed(roomVariants);
