import { z } from 'zod';
import { Dashboards } from '../../../../contract/dashboards.ts';
import { RpcError } from '../../../../contract/errors.ts';
import { code, toMrkdwn } from '../../../text/blocks.ts';
import { cap } from '../../../text/words.ts';

/** A dashboard by its uid; `title` is what people call it, `""` where nobody knows. */
export const Target = z.object({ uid: z.string(), title: z.string() });
/** A dashboard by its uid. */
export type Target = z.output<typeof Target>;

/** What the API says of a dashboard that it moved or removed. */
export const Moved = Dashboards.delete.output.pick({ title: true, message: true });

/** The longest title that travels with a button, in characters. */
const maxTitle = 150;

/** The dashboard as a button carries it. */
export function toTarget(uid: string, title: string): Target {
  return { uid, title: cap(title, maxTitle) };
}

/** What people call a dashboard, in plain text. */
export function nameOf({ uid, title }: Target): string {
  return title === '' ? `with the uid “${uid}”` : `“${title}”`;
}

/** What people call a dashboard, as mrkdwn. */
export function shownName({ uid, title }: Target): string {
  return title === '' ? code(uid, 60) : `*${toMrkdwn(title, maxTitle)}*`;
}

/** Waits for an act on the trash, and says what `not_found` means there. */
export async function inTrash<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof RpcError) || error.code !== 'not_found') throw error;
    const words = 'no dashboard of that uid is in the trash, or this server has no trash';
    throw new RpcError('not_found', words, { maybeApplied: error.maybeApplied, cause: error });
  }
}
