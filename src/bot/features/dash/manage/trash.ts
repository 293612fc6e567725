import type { Context } from '../../../dispatch/feature/context.ts';
import type { Verb } from '../../../dispatch/feature/feature.ts';
import type { Args } from '../../../grammar/grammar.ts';
import { actions, code } from '../../../text/blocks.ts';
import { readDashboardAddress } from '../link/address.ts';
import { findTyped, getDashboard } from '../link/find.ts';
import { restoreDashboard } from './restore.ts';
import { findFolderProblem } from './save-fields.ts';
import { answerNotFound } from './show.ts';
import { deletePress, purgePress } from './trash-intents.ts';
import { shownName, toTarget } from './trash-target.ts';

async function runDelete(ctx: Context, { words, sentence: typed }: Args): Promise<void> {
  if (words.length === 0) return ctx.reject('Which dashboard? `/dash delete <uid>` asks before it deletes.');
  const found = await findTyped(ctx, words.length > 1 ? typed : (words[0] ?? ''));
  if ('problem' in found) return answerNotFound(ctx, found);
  const { dashboard, meta } = found;
  const target = toTarget(dashboard.uid ?? '', dashboard.title);
  if (meta.provisioned) {
    return ctx.reject(
      `The dashboard ${shownName(target)} comes from files on the server, so delete it there. Nothing was deleted.`,
    );
  }
  await ctx.reject(
    `Delete the dashboard ${shownName(target)}, version ${dashboard.version}? It goes to the trash, where the server has one.`,
    [actions([deletePress(target, 'Delete it')])],
  );
}

/** The uid that was typed, alone or in an address; undefined after the person was told that there is none. */
async function readUid(ctx: Context, { words }: Args, verb: string): Promise<string | undefined> {
  const [typed = ''] = words;
  const address = readDashboardAddress(typed, ctx.deps.settings);
  if (address.kind === 'dashboard' && words.length === 1) return address.uid;
  await ctx.reject(`Give the uid of one dashboard: \`/dash ${verb} <uid>\`. The trash cannot be searched by title.`);
  return undefined;
}

async function runRestore(ctx: Context, args: Args): Promise<void> {
  const uid = await readUid(ctx, args, 'restore');
  if (uid === undefined) return;
  const folderUid = String(args.flags.folder ?? '').trim();
  const problem = findFolderProblem(folderUid);
  if (problem) return ctx.reject(`${problem} Nothing was changed.`);
  await ctx.carryOut(restoreDashboard, { uid, title: '', folderUid });
}

async function runPurge(ctx: Context, args: Args): Promise<void> {
  const uid = await readUid(ctx, args, 'purge');
  if (uid === undefined) return;
  const there = await getDashboard(ctx.deps.api, uid);
  if (there) {
    const target = toTarget(uid, there.dashboard.title);
    return ctx.reject(
      `The dashboard ${shownName(target)} is not in the trash, so nothing was deleted. Delete it first.`,
      there.meta.provisioned ? [] : [actions([deletePress(target)])],
    );
  }
  await ctx.reject(`Delete the dashboard ${code(uid, 60)} for good? Nobody can bring it back.`, [
    actions([purgePress({ uid, title: '' })]),
  ]);
}

const common = { noun: 'dash', about: 'anything', needsNoun: true, begins: 'text' } as const;

/** The commands that delete dashboards and bring them back. */
export const trashVerbs: readonly Verb[] = [
  {
    ...common,
    verb: 'delete',
    aliases: ['trash', 'rm'],
    usage: 'uid',
    summary: 'Delete a dashboard, after a question; into the trash, where the server has one.',
    run: runDelete,
  },
  {
    ...common,
    verb: 'restore',
    aliases: ['undelete', 'recover'],
    usage: 'uid',
    summary: 'Take a dashboard out of the trash.',
    flags: { folder: { kind: 'text', hint: 'the uid of another folder, or general' } },
    run: runRestore,
  },
  {
    ...common,
    verb: 'purge',
    aliases: ['destroy'],
    usage: 'uid',
    summary: 'Delete a dashboard in the trash for good, after a question.',
    run: runPurge,
  },
];
