import type { Person } from './person.ts';

/**
 * Why somebody may not act, as a sentence for them; undefined when they may. Guests may read; to change an incident one
 * must be a member of the workspace that runs it (docs/decisions.md, Guests and strangers; docs/slack.md 8).
 */
export function whyNot(person: Person): string | undefined {
  if (!person.isStranger && !person.isDeleted && !person.isBot && person.isGuest) {
    return 'You are a guest in this workspace, and guests cannot change incidents. Ask a full member to do it.';
  }
  return whyNotRead(person);
}

/** Why somebody may not even be told of incidents, as a sentence for them; undefined when they may. */
export function whyNotRead(person: Person): string | undefined {
  if (person.isStranger) {
    return 'You are from another organisation, so you cannot see or change this workspace’s incidents. Ask somebody in this workspace to do it.';
  }
  if (person.isDeleted)
    return 'Your Slack account is deactivated here. Ask an administrator of the workspace to restore it.';
  if (person.isBot) return 'Bots cannot do this. Ask a member of the workspace.';
  return undefined;
}

/** Why nobody can name this person in an incident; undefined when one can. `name` is mrkdwn. */
export function whyNotNamed(person: Person, name: string): string | undefined {
  if (person.isStranger) {
    return `${name} is from another organisation. Name somebody in this workspace.`;
  }
  if (person.isDeleted) return `${name} has left this workspace. Name somebody who is still here.`;
  if (person.isBot) return `${name} is a bot. Name a person.`;
  return undefined;
}
