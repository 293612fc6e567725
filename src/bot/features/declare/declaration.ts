import { z } from 'zod';
import { Claimed } from '../../incident/claim-note.ts';
import { MessageNote } from '../../incident/message-note.ts';

/** A checked declaration. `startedAt` is RFC 3339, or `""` for now. */
export const Declaration = z.object({
  title: z.string(),
  severity: z.string(),
  labels: z.array(z.string()),
  isDrill: z.boolean(),
  isResolved: z.boolean(),
  startedAt: z.string(),
  /** RFC 3339: when one that is over ended; `""` for now. */
  endedAt: z.string().default(''),
  attachURL: z.string(),
  attachCaption: z.string(),
  takeCommand: z.boolean(),
  makeChannel: z.boolean(),
  isPrivate: z.boolean(),
  roomPrefix: z.string(),
  /** The person who declares it: their id in the API (`commanderID`) and in Slack (`declaredBy`, of `teamId`). */
  commanderID: z.string(),
  declaredBy: z.string(),
  claimed: Claimed.optional(),
  /** RFC 3339. */
  declaredAt: z.string(),
  teamId: z.string(),
  /** Where it is declared; `""` for nowhere in particular. */
  channelId: z.string(),
  /** The message of which it was declared, without an incident: its first note. */
  quote: MessageNote.optional(),
});
/** A checked declaration. */
export type Declaration = z.output<typeof Declaration>;
/** The person who declares, the place, and the message. */
export type Circumstances = Pick<
  Declaration,
  'commanderID' | 'declaredBy' | 'claimed' | 'declaredAt' | 'teamId' | 'channelId' | 'quote'
>;
/** A declaration without its person and place. */
export type DeclarationWish = Omit<Declaration, keyof Circumstances>;
