import { z } from 'zod';
import type { Consequence } from '../../journal/intent.ts';
import type { NamedPerson } from '../../people/directory.ts';
import { toMrkdwn } from '../../text/blocks.ts';
import { toConsequence } from '../acts/intent-kind.ts';
import { addNote } from './intents.ts';

/**
 * A person is named as the API user that they claim to be. The timeline and the room show both, since no one confirms it
 * (docs/decisions.md, Nobody is guessed).
 */
export const Claimed = z.object({
  /** The person's name in Slack, and the name of the API's user. */
  name: z.string(),
  claimedName: z.string(),
  /** RFC 3339. */
  at: z.string(),
});
export type Claimed = z.output<typeof Claimed>;

/** The member `claimed` of a payload that names a person; nothing when the API knows them itself. */
export function toClaimed({ name = '', slackUserID = '', claimedName }: NamedPerson, now: Date): { claimed?: Claimed } {
  return claimedName === '' ? {} : { claimed: { name: name || slackUserID, claimedName, at: now.toISOString() } };
}

/** The note that goes with such a change. */
export function claimNotes(incidentID: string, claimed: Claimed | undefined): readonly Consequence[] {
  if (!claimed) return [];
  const { name, claimedName, at } = claimed;
  const text = `${name} in Slack is recorded as “${claimedName}” here. Only ${name} says that they are the same person.`;
  const note = { incidentID, text, eventTime: at, saidBy: '', addedBy: '', permalink: '', source: 'claim' };
  return [toConsequence(addNote, note, 'claim')];
}

/** The claim for people in Slack, as the end of a sentence; `""` when the API knows the person itself. */
export function claimWords(claimed: Claimed | undefined): string {
  return claimed ? ` (recorded as “${toMrkdwn(claimed.claimedName, 80)}”, by their own statement)` : '';
}
