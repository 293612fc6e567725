import { keep, readKept } from '../kept.ts';

/**
 * What was typed and not sent, by place: a person with a channel or thread. The tab keeps it, so it outlives the page, which is
 * loaded anew for another person.
 */
const drafts = new Map<string, string>();
const listeners = new Set<() => void>();

const toKey = (place: string): string => `muster-draft ${place}`;

/** The words of a place that wait to be sent. */
export function readDraft(place: string): string {
  return drafts.get(place) ?? readKept('sessionStorage', toKey(place)) ?? '';
}

/** Keeps the words of a place. */
export function writeDraft(place: string, text: string): void {
  drafts.set(place, text);
  keep('sessionStorage', toKey(place), text);
  for (const listener of listeners) listener();
}

/** Puts words that were refused back before what has been typed since. */
export function putBack(place: string, words: string): void {
  const since = readDraft(place);
  writeDraft(place, since.trim() === '' ? words : `${words}\n${since}`);
}

/** Calls the listener after each change of a draft. Returns what ends that. */
export function followDrafts(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
