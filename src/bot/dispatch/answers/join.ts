import type { IntentKind } from '../../incident/acts/intent-kind.ts';
import { actions, section, type Words } from '../../text/blocks.ts';
import { pressable } from '../feature/feature.ts';

/** The button that takes a person into an incident's channel, as it looks. */
export const joinFace = { id: 'incident.join', label: 'Join' } as const;

/** The button itself. */
export function wayIn(incidentID: string) {
  return pressable(joinFace, { incidentID });
}

/** The words with that button below them. */
export function withWayIn(words: Words, incidentID: string): Words {
  return { ...words, blocks: [...(words.blocks ?? [section(words.text)]), actions([wayIn(incidentID)])] };
}

/** Why the person who asked is not in the incident's channel and what to do, as mrkdwn; undefined when Slack let them in. */
export function whyOutside<P, R>(kind: IntentKind<P, R>, result: R): string | undefined {
  const why = kind.answer.uninvited?.(result) ?? '';
  if (why === '') return undefined;
  return `${why} *Join* tries it again, now or later. If that does not help, tell your Muster administrator.`;
}
