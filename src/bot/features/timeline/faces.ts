import type { ActionsBlockElement } from '@slack/types';
import { z } from 'zod';
import { pressable } from '../../dispatch/feature/feature.ts';
import { NoteAddress } from '../../incident/notes/notes.ts';
import { confirmLoss } from '../../text/blocks.ts';
import { Filter } from './filter.ts';

/** A place in a timeline: the cursor of a page of the API's, and the items of it that were shown. */
export const Place = z.object({ cursor: z.string(), skip: z.number() });
/** A place in a timeline. */
export type Place = z.output<typeof Place>;

/** The page of a timeline that shows the newest items. */
export const firstPlace: Place = { cursor: '', skip: 0 };

/** What a page of a timeline shows. */
export const Page = z.object({ filter: Filter, place: Place });
/** What a page of a timeline shows. */
export type Page = z.output<typeof Page>;

/** `/note list`: the newest notes. */
export const newestNotes: Page = {
  filter: { only: 'notes', important: false, people: [], since: 0 },
  place: firstPlace,
};

/** A note in a list. `page`: that of the list, where it is not {@link newestNotes}: a message holds only so many characters. */
export const ListedNote = NoteAddress.extend({ page: Page.optional() });
/** A note in a list. */
export type ListedNote = z.output<typeof ListedNote>;

/** Opens the form of a new note. */
export const addFace = { id: 'note.add', label: 'Add note' } as const;
/** Opens the form that changes the note. */
export const editFace = { id: 'note.edit', label: 'Edit' } as const;
/** Marks the note as important, or as usual again. */
export const markFace = { id: 'note.important', label: 'Important' } as const;
/** Takes the note off the timeline. */
export const removeFace = { id: 'note.remove', label: 'Remove', style: 'danger' } as const;

const confirmRemoval = confirmLoss('Remove this note?', 'It leaves the timeline for good.', removeFace.label);

/** The buttons of one note in a list; `place` is its row among those of the page, from 1. */
export function noteButtons(
  { incidentID, activityItemID }: NoteAddress,
  page: Page,
  note: { readonly important: boolean; readonly text: string; readonly place: number },
): readonly ActionsBlockElement[] {
  const address = { incidentID, activityItemID };
  const isUsual = JSON.stringify(page) === JSON.stringify(newestNotes);
  const listed = isUsual ? address : { ...address, page };
  const mark = note.important ? 'Not important' : markFace.label;
  const spoken = (label: string) => `${label}, row ${note.place}: ${note.text}`;
  return [
    pressable(editFace, listed, { spoken: spoken(editFace.label) }),
    pressable(markFace, { ...listed, important: !note.important }, { label: mark, spoken: spoken(mark) }),
    { ...pressable(removeFace, listed, { spoken: spoken(removeFace.label) }), confirm: confirmRemoval },
  ];
}
