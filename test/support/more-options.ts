import type { Person } from '../../playground/fake-slack/fake-slack.ts';
import type { Workplace } from './workplace.ts';

/** Shows the fields of the open declaration's form that are asked seldom. */
export async function openMore(place: Pick<Workplace, 'quiet'>, person: Person): Promise<void> {
  await person.press('view', 'More options');
  await place.quiet();
}
