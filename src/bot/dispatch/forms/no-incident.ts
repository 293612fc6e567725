import type { KnownBlock } from '@slack/types';
import { actions } from '../../text/blocks.ts';
import { declareFace } from '../feature/faces.ts';
import { pressable } from '../feature/feature.ts';

/** The words where there is no incident to choose (mrkdwn), and the way to the first one. A guest may declare none. */
export function noIncidentYet({ isGuest }: { readonly isGuest: boolean }): {
  readonly text: string;
  readonly offers: readonly KnownBlock[];
} {
  if (isGuest) return { text: 'There is no incident that you can see.', offers: [] };
  return {
    text: 'There is no incident yet. Declare one with `/incident declare`.',
    offers: [actions([pressable(declareFace, {})])],
  };
}
