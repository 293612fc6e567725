import type { Filled } from '../../../dispatch/feature/drafts.ts';
import { fieldValue, textField } from '../../../dispatch/forms/modal.ts';
import { isUid } from '../link/address.ts';

/** The most characters of a message for the version history (docs/api-rules.md C2). */
const maxMessage = 500;

/** The field of the folder. */
export function folderField(filled: Filled) {
  const hint = 'Empty: an existing dashboard stays where it is, and a new one goes to the root level.';
  return textField({ id: 'folder', label: 'Folder (its uid)', hint, optional: true }, filled);
}

/** The field of the message. */
export function messageField(filled: Filled) {
  const hint = 'The version history keeps it.';
  return textField({ id: 'message', label: 'What changed?', hint, optional: true }, filled);
}

/** Why a text is no uid of a folder; undefined when it is one, or empty. */
export function findFolderProblem(uid: string): string | undefined {
  if (uid === '' || isUid(uid)) return undefined;
  return 'A folder’s uid has at most 40 letters, digits, hyphens and underscores. It is in the folder’s address: /dashboards/f/<uid>/….';
}

/** What both fields hold, or what is wrong with them. */
export function readPlace(
  filled: Filled,
): { folderUid: string; message: string } | { problems: Record<string, string> } {
  const folderUid = fieldValue(filled, 'folder').trim();
  const message = fieldValue(filled, 'message').trim();
  const folder = findFolderProblem(folderUid);
  const problems = {
    ...(folder ? { folder } : {}),
    ...(message.length > maxMessage ? { message: `It has at most ${maxMessage} characters.` } : {}),
  };
  return Object.keys(problems).length > 0 ? { problems } : { folderUid, message };
}
