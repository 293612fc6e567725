import { quantile } from '../../support/quantile.ts';

/** What 99 of 100 answers may take, in milliseconds. */
const mostWaits = 1000;
/** What any answer may take, in milliseconds: a shared machine itself may stand still for a second or two. */
const longestWait = 5000;

/** Says in a sentence how a bystander was held up, given how long each answer took in milliseconds; none when hardly. */
export function heldUp(waits: readonly number[]): readonly string[] {
  const ninetyNinth = Math.round(quantile(waits, 0.99));
  const longest = Math.round(Math.max(...waits));
  if (ninetyNinth <= mostWaits && longest <= longestWait) return [];
  return [
    `of ${waits.length} answers 99 in 100 took up to ${ninetyNinth} ms and the last ${longest} ms; at most ${mostWaits} and ${longestWait} are right`,
  ];
}
