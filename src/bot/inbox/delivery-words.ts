import { withTyped } from '../dispatch/answers/typed-back.ts';
import { type Act, toDraft } from '../dispatch/feature/delivery.ts';
import { sentence, type Words } from '../text/blocks.ts';
import { incidentSigns } from '../text/signs.ts';
import { formatDuration } from '../text/times.ts';

/** For a person whose act waits for an earlier one of its channel. */
export const waitingWords = sentence(
  `${incidentSigns.waiting} I have your request, behind an earlier one in this channel. I answer here when it is done.`,
);

/** For a person whose act was acknowledged before it was stored: the database took too long. */
export const unstoredWords = sentence(
  `${incidentSigns.waiting} My database is slow or away, so your request is not stored yet. If no answer comes within a minute, look whether it happened and ask again.`,
);

/** After this time, in milliseconds, a delivery that a process left is not carried out. The person is asked to look, and to do it again. */
export const stale = 3_600_000;

/** For a person whose delivery was left for so long: `age` in milliseconds. */
export function tooOld(act: Act, age: number): Words {
  const text = `You asked for this ${formatDuration(age / 1000)} ago, and Muster was stopped before it had answered. It may or may not have happened: look at \`/incident status\`, and do it again if it is missing.`;
  const draft = toDraft(act);
  return draft ? withTyped(text, draft) : sentence(text);
}
