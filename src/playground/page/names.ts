import type { PersonView } from '../workspace/protocol.ts';

/** A person's name as others read it; Slack's own lines are by Slackbot. */
export function nameOf(people: readonly PersonView[], id: string): string {
  return people.find(each => each.id === id)?.realName ?? (id === 'USLACKBOT' ? 'Slackbot' : id);
}
