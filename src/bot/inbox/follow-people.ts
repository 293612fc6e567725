import type { App } from '@slack/bolt';
import type { Logger } from 'pino';
import type { People } from '../people/directory.ts';

/**
 * Takes note of people who become guests, leave, come back or rename themselves, as soon as Slack says so. Bolt acknowledges these
 * events at once: one that is lost costs no more than a minute, since a change is preceded by a look at the person.
 */
export function followPeople(bolt: App, people: People, log: Logger): void {
  bolt.event('user_change', async ({ event }) => {
    await people.learn(event.user, 'changed');
    log.debug({ user: event.user.id }, 'people: Slack says that somebody changed');
  });
  bolt.event('team_join', async ({ event }) => {
    await people.learn(event.user, 'new');
  });
}
