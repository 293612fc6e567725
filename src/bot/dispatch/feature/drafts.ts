import { hash } from 'node:crypto';
import type { DeleteResult } from 'kysely';
import { z } from 'zod';
import type { Database } from '../../../db/database.ts';
import { KnownPerson } from '../../incident/acts/intent-kind.ts';
import { keepFor } from '../../keep-for.ts';
import type { BotTables } from '../../schema/tables.ts';
import { SourceMessage } from '../../slack/source-message.ts';

/** The content of a form's fields, by field id: one value, or several for lists and check boxes. */
export const Filled = z.record(z.string(), z.union([z.string(), z.array(z.string())]));
export type Filled = z.output<typeof Filled>;

/** Options for a form's lists, by field id. */
export const Offered = z.record(
  z.string(),
  z.array(z.object({ value: z.string(), label: z.string(), description: z.string().optional() })),
);
export type Offered = z.output<typeof Offered>;

/** A command line, as a person typed it. */
export const CommandLine = z.object({
  kind: z.literal('command'),
  root: z.string(),
  text: z.string(),
  /** The delivery of the message that typed it, by its key; absent for a slash command. */
  message: z.string().exactOptional(),
  /** The times that were read in it, RFC 3339 by flag, once the person answered whether they are right. */
  times: z.object({ read: z.record(z.string(), z.string()), isRight: z.boolean() }).exactOptional(),
  /** How the person chose to have the line read, when they were asked. */
  as: z
    .object({
      ...{ noun: z.string(), verb: z.string(), from: z.number(), instead: z.string().exactOptional() },
      names: z.object({ at: z.array(z.number()), incident: z.string() }).exactOptional(),
    })
    .optional(),
});
export type CommandLine = z.output<typeof CommandLine>;

/** A form that a person filled in. */
export const FilledForm = z.object({
  ...{ kind: z.literal('form'), modal: z.string(), state: z.unknown() },
  ...{ filled: Filled, offered: Offered.optional() },
});

/** An act that is not complete: a command or shortcut that needs an incident or a form, or a filled form. */
export const Draft = z.discriminatedUnion('kind', [
  CommandLine,
  FilledForm,
  z.object({ kind: z.literal('message'), shortcut: z.string(), message: SourceMessage }),
  // An intent that is held back: what it looks like, the key under which it is stored once its author has chosen, and its circumstances.
  z.object({
    kind: z.literal('held'),
    intent: z.string(),
    payload: z.unknown(),
    key: z.string(),
    incidentID: z.string(),
    others: z.array(KnownPerson),
  }),
]);
export type Draft = z.output<typeof Draft>;
/** An intent whose text looks like a secret, until its author has chosen. */
export type PendingDraft = Extract<Draft, { kind: 'held' }>;

/** A draft from before can no more be resumed. */
const oldest = (now: Date) => new Date(now.getTime() - keepFor.drafts).toISOString();

/** Keeps incomplete acts, so that a button can resume them. */
export type Drafts = ReturnType<typeof createDrafts>;

/** Opens the drafts in the bot's database. */
export function createDrafts(database: Database) {
  const db = database.as<BotTables>();
  return {
    /**
     * Stores a draft and returns the id that a button carries. The same draft of the same delivery has the same id, so that it takes
     * effect once even when it is offered twice.
     */
    keep: async (owner: { teamId: string; userId: string }, draft: Draft, delivery: string, now: Date) => {
      const content = JSON.stringify(draft);
      const row = {
        id: hash('sha256', JSON.stringify([owner.teamId, owner.userId, delivery, content]), 'base64url'),
        team_id: owner.teamId,
        user_id: owner.userId,
        content,
        created_at: now.toISOString(),
      };
      await database.single<BotTables, unknown>(some =>
        some
          .insertInto('bot_draft')
          .values(row)
          .onConflict(conflict => conflict.column('id').doNothing())
          .execute(),
      );
      return row.id;
    },
    /** Deletes the owner's draft, and every other one of theirs that holds one of these words. */
    remove: async (owner: { teamId: string; userId: string }, id: string, words: readonly string[]) => {
      const own = db.selectFrom('bot_draft').where('team_id', '=', owner.teamId).where('user_id', '=', owner.userId);
      const rows = await own.select(['id', 'content']).execute();
      const written = words.map(word => JSON.stringify(word).slice(1, -1));
      const ids = rows
        .filter(row => row.id === id || written.some(word => row.content.includes(word)))
        .map(row => row.id);
      if (ids.length === 0) return;
      await database.single<BotTables, unknown>(some => some.deleteFrom('bot_draft').where('id', 'in', ids).execute());
    },
    /** Deletes the drafts that can no longer be resumed; returns how many. */
    purge: async (now: Date) => {
      const { numDeletedRows } = await database.single<BotTables, DeleteResult>(some =>
        some.deleteFrom('bot_draft').where('created_at', '<', oldest(now)).executeTakeFirstOrThrow(),
      );
      return Number(numDeletedRows);
    },
    /** The owner's draft, or undefined when it is too old or not theirs. */
    find: async (owner: { teamId: string; userId: string }, id: string, now: Date) => {
      const row = await db
        .selectFrom('bot_draft')
        .select('content')
        .where('id', '=', id)
        .where('team_id', '=', owner.teamId)
        .where('user_id', '=', owner.userId)
        .where('created_at', '>=', oldest(now))
        .executeTakeFirst();
      return row && Draft.parse(JSON.parse(row.content));
    },
  };
}
