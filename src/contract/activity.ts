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
  open,
  orderDirections,
  requestList,
  requiredText,
  response,
  someone,
  text,
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
  attachmentID: text(),
  attachedByUserID: text(),
  sourceURL: text(),
  useSourceURL: flag(),
  path: text(),
  uploadTime: text(),
  deletedTime: text(),
  contentType: text(),
  fileType: open(['file', 'video', 'image', 'audio', 'screenshare']),
  ext: text(),
  contentLength: count(),
  displayType: open(['list', 'embed']),
  downloadURL: text(),
  hasThumbnail: flag(),
  thumbnailURL: text(),
  sHA512: text(),
  attachmentErr: text(),
});
/** A file on a timeline item. */
export type Attachment = z.output<typeof Attachment>;

/** One item of an incident's timeline. Times are RFC 3339. */
export const ActivityItem = z.object({
  activityItemID: text(),
  incidentID: text(),
  user: someone(),
  subjectUser: someone(),
  createdTime: text(),
  eventTime: text(),
  activityKind: open(activityKinds),
  body: text(),
  url: text(),
  tags: list(open(['important', 'starred'])),
  immutable: flag(),
  fieldValues: freeObject(),
  attachments: list(Attachment),
  relevance: open(['automatic']),
});
/** One item of an incident's timeline. */
export type ActivityItem = z.output<typeof ActivityItem>;

const queryFields = { incidentID: requiredText(), tag: text() };

/** Which timeline items to list; `limit` 0 means the service's default of 100 (docs/api-rules.md A7). */
export const ActivityQuery = z.object({
  ...queryFields,
  limit: wholeNumber(),
  orderDirection: choice(orderDirections),
  activityKind: requestList(z.enum(activityKinds, { error: 'must be a known activity kind' })),
});
/** Which timeline items to list. */
export type ActivityQuery = z.output<typeof ActivityQuery>;

const EchoedActivityQuery = z.object({
  incidentID: text(),
  tag: text(),
  limit: count(),
  orderDirection: open(orderDirections),
  activityKind: list(open(activityKinds)),
});

const noteBody = () => requiredText().max(maxActivityBody, `must be at most ${maxActivityBody} characters`);
const itemAddress = { incidentID: requiredText(), activityItemID: requiredText() };
const withItem = response({ activityItem: ActivityItem });

/** Notes and the timeline (docs/incident-api.md, ActivityService). */
export const ActivityService = {
  AddActivity: defineMethod({
    summary: 'Post a note to the timeline. URLs in it are attached as context.',
    effect: 'create',
    access: 'Editor',
    input: z.object({
      incidentID: requiredText(),
      activityKind: choice(['userNote']),
      body: noteBody(),
      eventTime: text(),
      fieldValues: ifSet(freeObject()),
    }),
    output: withItem,
    errors: ['not_found'],
  }),
  QueryActivity: defineMethod({
    summary: 'List timeline items by event time, a page at a time.',
    effect: 'read',
    access: 'Viewer',
    input: z.object({ query: ActivityQuery, cursor: cursor() }),
    output: response({ activityItems: list(ActivityItem), query: EchoedActivityQuery, cursor: cursor() }),
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
      body: noteBody(),
    }),
    output: withItem,
    errors: ['not_found'],
  }),
  UpdateActivityEventTime: defineMethod({
    summary: 'Move an item in time; an empty time puts it back where it was created.',
    effect: 'set',
    access: 'Editor',
    input: z.object({ ...itemAddress, eventTime: text() }),
    output: withItem,
    errors: ['not_found'],
  }),
} as const;
