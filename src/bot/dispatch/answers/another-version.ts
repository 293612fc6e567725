import { sentence } from '../../text/blocks.ts';
import type { Button } from '../feature/feature.ts';

/*
 * What another version of Muster left in Slack, and this one may not know. Buttons have words of their own (`old-button.ts`).
 */

/** For a form that this version cannot read. */
export const anotherVersion = sentence(
  'That form is from another version of Muster, so nothing was done. Open it again and fill it in once more.',
);
/** For an entry of a menu that this version does not have. */
export const unknownShortcut = sentence(
  'That shortcut is from another version of Muster. Your Muster administrator must update the app’s manifest.',
);

/** The value of a button; undefined when another version made it. */
export function readValue(button: Button, json: string): unknown {
  try {
    return button.value.safeParse(JSON.parse(json)).data;
  } catch {
    return undefined;
  }
}
