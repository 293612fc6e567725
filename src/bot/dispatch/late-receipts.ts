import type { Logger } from 'pino';
import { tellRefused } from '../incident/unregistered.ts';
import { passes } from '../journal/lasting.ts';
import type { LateEnd } from '../journal/telling.ts';
import { toUnverified } from '../people/directory.ts';
import { isPassing, slackReason } from '../slack/clients.ts';
import { actions, mention, section, type Words } from '../text/blocks.ts';
import type { Deps } from './deps.ts';
import { explain } from './error-messages.ts';
import { afterwards, discardButton, refusalWords, type Scene } from './receipts.ts';

/** Most blocks that one message tells of; Slack takes fifty (docs/slack.md 5). */
const mostBlocks = 40;

/** What was begun of telling an end: the words, since what followed in Slack must not follow twice, and whether they were sent. */
interface Begun {
  readonly words: Words | undefined;
  isSent: boolean;
}
const begun = new WeakMap<Deps, Map<string, Begun>>();

/**
 * Tells people what came of what was kept for them, or of what a stop of the process cut off: one message for each person
 * and place, and what must follow in Slack before it. Throws when some could not be told, so that these are told later.
 */
export async function tellLateEnds(deps: Deps, ends: readonly LateEnd[], now: Date, log: Logger): Promise<void> {
  const known = begun.get(deps) ?? new Map<string, Begun>();
  begun.set(deps, known);
  const groups = new Map<string, { readonly scene: Scene; readonly told: Begun[]; isDone: boolean }>();
  const failures: unknown[] = [];
  for (const end of ends) {
    const { row } = end.kept;
    try {
      const name = [row.user_id, row.channel_id, row.thread_ts].join('/');
      const group = groups.get(name) ?? { scene: await toScene(deps, end, now, log), told: [], isDone: true };
      const state = known.get(row.id) ?? { words: await toWords(group.scene, end), isSent: false };
      known.set(row.id, state);
      if (!state.isSent) group.told.push(state);
      if (end.outcome.state === 'refused') group.isDone = false;
      groups.set(name, group);
    } catch (error) {
      failures.push(error);
    }
  }
  for (const { scene, told, isDone } of groups.values()) {
    const words = told.flatMap(each => each.words ?? []);
    try {
      if (words.length > 0) await send(scene, toMessage(words, isDone));
      for (const each of told) each.isSent = true;
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  for (const { kept } of ends) known.delete(kept.row.id);
}

async function toScene(deps: Deps, { kept }: LateEnd, now: Date, log: Logger): Promise<Scene> {
  const { row } = kept;
  const unverified = toUnverified({ teamId: row.team_id, userId: row.user_id }, deps.slack.identity.teamId);
  const actor = (await deps.people.find(row.user_id).catch(() => undefined)) ?? unverified;
  return { deps, actor, place: { channelId: row.channel_id, threadTs: row.thread_ts }, now, log };
}

async function toWords(scene: Scene, { kept, isQuiet, outcome }: LateEnd): Promise<Words | undefined> {
  const { intent, payload, row } = kept;
  if (outcome.state === 'done') {
    const words = await afterwards(scene, intent, payload, outcome, true, new Date(row.created_at));
    return isQuiet ? undefined : words;
  }
  await tellRefused(scene, row.id, explain(outcome.error), new Date(row.created_at));
  const draft = row.draft_id && (await scene.deps.drafts.find(scene.actor, row.draft_id, scene.now));
  const typed = { draft: draft || undefined, id: draft ? row.draft_id : undefined };
  const tried = passes(outcome.error) ? ', though I tried for seven days' : '';
  const words = refusalWords(`I could not ${intent.aim(payload)}${tried}.`, outcome, typed);
  return { text: words.text, blocks: [...(words.blocks ?? []), actions([discardButton(outcome.id)])] };
}

function toMessage(told: readonly Words[], isDone: boolean): Words {
  const head = isDone ? ':white_check_mark: What waited is done:' : 'About what waited:';
  const blocks = told.flatMap(each => each.blocks ?? [section(each.text)]);
  const left = blocks.length - mostBlocks;
  return {
    text: [head, ...told.map(each => each.text)].join('\n'),
    blocks: [
      section(head),
      ...blocks.slice(0, mostBlocks),
      ...(left > 0 ? [section('There is more: `/incident status` shows how things stand.')] : []),
    ],
  };
}

/** To the person alone where they asked, else in a direct message. */
async function send({ deps, actor, place, log }: Scene, words: Words): Promise<void> {
  const message = { text: words.text, blocks: [...(words.blocks ?? [])], unfurl_links: false, unfurl_media: false };
  if (place.channelId !== '') {
    try {
      const thread = place.threadTs === '' ? {} : { thread_ts: place.threadTs };
      await deps.slack.web.chat.postEphemeral({ channel: place.channelId, user: actor.userId, ...message, ...thread });
      return;
    } catch (error) {
      if (isPassing(error)) throw error;
      log.info({ reason: slackReason(error) }, 'a late answer could not be shown where it was asked for');
    }
  }
  try {
    await deps.slack.web.chat.postMessage({ channel: actor.userId, ...message });
  } catch (error) {
    if (isPassing(error)) throw error;
    log.warn(
      { reason: slackReason(error), user: mention(actor.userId) },
      'somebody could not be told what came of what they asked for',
    );
  }
}
