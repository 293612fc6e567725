import { z } from 'zod';
import { ActivityItem } from '../contract/activity.ts';
import { section } from './blocks.ts';
import { defineIntent } from './journal/intent.ts';
import { cap } from './words.ts';

/** The most characters a note from Slack may have: room is left for who said it and where (api-behaviour.md A5 allows 65,536). */
export const maxNote = 60_000;

/**
 * A note for the timeline. Who said it, who adds it, when it was said and where it stands are kept apart, in the body for
 * every reader and in `fieldValues` for programs.
 */
export const Note = z.object({
  incidentID: z.string(),
  text: z.string(),
  /** RFC 3339; `""` for now. */
  eventTime: z.string(),
  /** Name of who said it, when that is not who adds it. */
  saidBy: z.string(),
  /** Name of who adds it. */
  addedBy: z.string(),
  /** Address of the message; `""` when there is none. */
  permalink: z.string(),
  /** What the note is, for programs: `message`, `resolution`, `dashboard`, `note`. */
  source: z.string(),
});
/** A note for the timeline. */
export type Note = z.output<typeof Note>;

/** The note's text as it stands on the timeline, with its attribution. */
export function noteBody(note: Note): string {
  const by = note.saidBy
    ? `— said by ${note.saidBy} in Slack, added by ${note.addedBy}`
    : note.permalink
      ? `— ${note.addedBy} in Slack`
      : '';
  const foot = [by, note.permalink].filter(part => part !== '').join(': ');
  return foot === '' ? note.text : `${note.text}\n\n${foot}`;
}

/** Puts a note on an incident's timeline. */
export const addNote = defineIntent({
  kind: 'note.add',
  payload: Note,
  result: ActivityItem,
  run: async ({ api, call }, note) => {
    const { activityItem } = await api.ActivityService.AddActivity(
      {
        incidentID: note.incidentID,
        activityKind: 'userNote',
        body: noteBody(note),
        eventTime: note.eventTime,
        fieldValues: {
          source: note.source,
          ...(note.saidBy ? { saidBy: note.saidBy } : {}),
          addedBy: note.addedBy,
          ...(note.permalink ? { permalink: note.permalink } : {}),
        },
      },
      call,
    );
    return activityItem;
  },
  aim: note => `add “${cap(note.text, 200)}” to the timeline of incident ${note.incidentID}`,
  done: (_item, note, repeated) => {
    const text = repeated
      ? `That is on the timeline of incident ${note.incidentID} already. Nothing was added twice.`
      : `:memo: Added to the timeline of incident ${note.incidentID}.`;
    return { text, blocks: [section(text)] };
  },
});
