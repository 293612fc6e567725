import { z } from 'zod';
import { defineMethod } from './define.ts';
import {
  choice,
  count,
  cursor,
  flag,
  freeObject,
  ifSet,
  list,
  means,
  open,
  orderDirections,
  requestList,
  requiredText,
  response,
  someone,
  text,
  time,
  wholeNumber,
} from './fields.ts';

/** Kinds of timeline item (docs/incident-api.md, ActivityItem). */
export const activityKinds = [
  'incidentUpdated',
  'incidentTitleChanged',
  'incidentStatusChanged',
  'incidentSeverityChanged',
  'incidentCreated',
  'incidentDeleted',
  'incidentClosed',
  'roleAssigned',
  'roleUnassigned',
  'actionRun',
  'userNote',
  'dataQuery',
  'hookRunMetadata',
  'taskAdded',
  'taskUpdated',
  'taskCompleted',
  'taskDeleted',
  'messageReaction',
  'contextAttached',
  'incidentIsDrillChanged',
  'incidentStart',
  'incidentEnd',
  'incidentSummary',
  'labelAdded',
  'labelRemoved',
  'siftResult',
] as const;
/** One of {@link activityKinds}. */
export type ActivityKind = (typeof activityKinds)[number];

/** The most characters of a note (docs/api-rules.md A5). */
export const maxActivityBody = 65_536;

/** A file on a timeline item. Muster reads attachments; its service makes none (docs/api-rules.md A5). */
export const Attachment = z.object({
  attachmentID: means(text(), 'The id of the file.'),
  attachedByUserID: means(text(), 'The id of the person who attached it.'),
  sourceURL: means(text(), 'The address where the file is.'),
  useSourceURL: means(flag(), 'Whether the file is downloaded from `sourceURL`.'),
  path: means(text(), 'The whole path of the file.'),
  uploadTime: means(time(), 'When it was uploaded.'),
  deletedTime: means(time(), 'When it was deleted; empty while it is there.'),
  contentType: means(text(), 'Its media type.'),
  fileType: means(open(['file', 'video', 'image', 'audio', 'screenshare']), 'Its kind.'),
  ext: means(text(), 'The ending of its name.'),
  contentLength: means(count(), 'Its size in bytes.'),
  displayType: means(open(['list', 'embed']), 'Whether it is listed or shown in its place.'),
  downloadURL: means(text(), 'The address to download it from.'),
  hasThumbnail: means(flag(), 'Whether there is a preview picture.'),
  thumbnailURL: means(text(), 'The address of that picture.'),
  sHA512: means(text(), 'The SHA-512 of its content.'),
  attachmentErr: means(text(), 'What went wrong with the file. Empty: nothing.'),
});
means(Attachment, 'A file on a timeline item.');
export type Attachment = z.output<typeof Attachment>;

/** One item of an incident's timeline. Times are RFC 3339. */
export const ActivityItem = z.object({
  activityItemID: means(text(), 'The id of the item, `activity-item-<id>`.'),
  incidentID: means(text(), 'The number of the incident that it belongs to, in digits.'),
  user: means(someone(), 'The person who caused it.'),
  subjectUser: means(someone(), 'The person whom it concerns: who got a role, or whom a task was given to.'),
  createdTime: means(time(), 'When it was written.'),
  eventTime: means(time(), 'When it happened. It equals `createdTime` unless somebody gave another time.'),
  activityKind: means(open(activityKinds), 'What happened.'),
  body: means(text(), 'The same in words; for a note, its text.'),
  url: means(text(), 'The address that it names first. Empty: none.'),
  tags: means(list(open(['important', 'starred'])), 'Marks. The server sets `important`; nothing sets `starred`.'),
  immutable: means(flag(), 'Whether no call changes or removes it. Only notes can be changed.'),
  fieldValues: means(
    freeObject(),
    'What happened, in members that depend on the kind: `severity` and `previousSeverity`, or what the writer of a note gave.',
  ),
  attachments: means(list(Attachment), 'Files on the item. This service makes none.'),
  relevance: means(open(['automatic']), 'How the item came to be here: always `automatic`.'),
});
means(ActivityItem, 'One item of an incident’s timeline.');
export type ActivityItem = z.output<typeof ActivityItem>;

const queryFields = {
  incidentID: means(requiredText(), 'The number of the incident, in digits.'),
  tag: means(text(), 'Only items with this tag. Empty: any.'),
};

/** Which timeline items to list; `limit` 0 means the service's default of 100 (docs/api-rules.md A7). */
export const ActivityQuery = z.object({
  ...queryFields,
  limit: means(wholeNumber(), 'The most items of a page: 0 means 100, the most is 1000.'),
  orderDirection: means(
    choice(orderDirections),
    'Rising or falling by `eventTime`; empty means `DESC`, the newest first.',
  ),
  activityKind: means(
    requestList(z.enum(activityKinds, { error: 'must be a known activity kind' })),
    'Only items of these kinds; empty means all.',
  ),
});
means(ActivityQuery, 'Which timeline items to list.');
export type ActivityQuery = z.output<typeof ActivityQuery>;

const EchoedActivityQuery = z.object({
  incidentID: means(text(), 'The number of the incident, in digits.'),
  tag: means(text(), 'The tag that was asked for.'),
  limit: means(count(), 'The limit that took effect.'),
  orderDirection: means(open(orderDirections), 'The order that took effect.'),
  activityKind: means(list(open(activityKinds)), 'The kinds that were asked for.'),
});
means(EchoedActivityQuery, 'The query as the service understood it.');

const noteBody = () => requiredText().max(maxActivityBody, `must be at most ${maxActivityBody} characters`);
const itemAddress = {
  incidentID: means(requiredText(), 'The number of the incident that the item belongs to, in digits.'),
  activityItemID: means(requiredText(), 'The id of the item.'),
};
const withItem = response({ activityItem: ActivityItem });

/** Notes and the timeline (docs/incident-api.md, ActivityService). */
export const ActivityService = {
  AddActivity: defineMethod({
    summary: 'Post a note to the timeline. URLs in it are attached as context.',
    effect: 'create',
    access: 'Editor',
    input: z.object({
      incidentID: means(requiredText(), 'The number of the incident, in digits.'),
      activityKind: means(choice(['userNote']), '`userNote`, which is also meant when it is empty.'),
      body: means(noteBody(), 'The text of the note.'),
      eventTime: means(time(), 'When it happened. Empty: now.'),
      fieldValues: means(
        ifSet(freeObject()),
        'Whatever the writer wants to keep beside the text. It is answered as it came.',
      ),
    }),
    output: withItem,
    errors: ['not_found'],
  }),
  QueryActivity: defineMethod({
    summary: 'List timeline items by event time, a page at a time.',
    effect: 'read',
    access: 'Viewer',
    input: z.object({ query: ActivityQuery, cursor: cursor() }),
    output: response({
      activityItems: means(list(ActivityItem), 'The items of this page.'),
      query: EchoedActivityQuery,
      cursor: cursor(),
    }),
    errors: ['not_found'],
  }),
  RemoveActivity: defineMethod({
    summary: 'Remove an item from the timeline.',
    effect: 'create',
    access: 'Editor',
    input: z.object(itemAddress),
    output: withItem,
    errors: ['not_found'],
  }),
  UpdateActivityBody: defineMethod({
    summary: 'Replace the text of an item.',
    effect: 'set',
    access: 'Editor',
    input: z.object({
      ...itemAddress,
      body: means(noteBody(), 'The new text. Addresses in it are read again.'),
    }),
    output: withItem,
    errors: ['not_found'],
  }),
  UpdateActivityEventTime: defineMethod({
    summary: 'Move an item in time; an empty time puts it back where it was created.',
    effect: 'set',
    access: 'Editor',
    input: z.object({ ...itemAddress, eventTime: means(time(), 'When it happened. Empty: when it was written.') }),
    output: withItem,
    errors: ['not_found'],
  }),
} as const;
