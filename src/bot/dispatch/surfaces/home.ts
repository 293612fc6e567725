import type { HomeView, KnownBlock } from '@slack/types';
import { RpcError } from '../../../contract/errors.ts';
import { digest } from '../../incident/state/digests.ts';
import { whyNotRead } from '../../people/access.ts';
import { isPassing, refusalLevel, slackReason, slackRefusal } from '../../slack/clients.ts';
import { slackLimits } from '../../slack/limits.ts';
import { actions, context, section, type Words } from '../../text/blocks.ts';
import { incidentSigns, signs } from '../../text/signs.ts';
import { toSlackDate } from '../../text/times.ts';
import { explainRead } from '../answers/error-messages.ts';
import { allCommandsButton } from '../command/help-buttons.ts';
import type { Context } from '../feature/context.ts';
import type { ShownHome } from '../feature/delivery.ts';
import { type Feature, pressable } from '../feature/feature.ts';
import { type HomeInput, type HomePart, homePlaces, nothingKnown } from '../feature/home-part.ts';
import { readHomeInput } from './home-input.ts';

/** Paragraphs of a notice at most. */
const maxNotice = 3;

/**
 * Publishes the home tab of the person who opened it, unless it shows the same already. `notice` stands above it once. Somebody who may
 * read nothing gets no tab, and loses the one that they had.
 */
export async function publishHome(
  ctx: Context,
  features: readonly Feature[],
  { shown, hash }: ShownHome,
  notice?: Words,
): Promise<void> {
  const { deps, actor, log } = ctx;
  const refused = whyNotRead(actor);
  if (refused !== undefined && shown === '') return;
  const make = async () => toView(refused === undefined ? await homeBlocks(ctx, features, notice) : [section(refused)]);
  const publish = (view: HomeView, seen: string) =>
    deps.slack.web.views.publish({ user_id: actor.userId, view, ...(seen === '' ? {} : { hash: seen }) });
  try {
    const view = await make();
    if (view.private_metadata === shown) return;
    await publish(view, hash).catch(async error => {
      if (slackRefusal(error) !== 'hash_conflict') throw error;
      // Another one was published meanwhile, perhaps of older facts than there are now.
      await publish(await make(), '');
    });
  } catch (error) {
    if (notice) await ctx.answer(notice);
    if (isPassing(error) || slackRefusal(error) === undefined) throw error;
    log[refusalLevel(error)]({ reason: slackReason(error) }, 'home tab: Slack does not take it');
  }
}

/** The tab as Slack takes it. Its metadata is its digest, which Slack gives back when the tab is opened. */
function toView(blocks: readonly KnownBlock[]): HomeView {
  const shown = blocks.slice(0, slackLimits.viewBlocks);
  return { type: 'home', private_metadata: digest(shown), blocks: shown };
}

async function homeBlocks(ctx: Context, features: readonly Feature[], notice?: Words): Promise<readonly KnownBlock[]> {
  return [...(notice ? toNotice(notice) : []), ...(await facts(ctx, features)), ...help(ctx)];
}

/** What was done, with its first row of buttons: that holds Undo. What else can be done stands below, in its own place. */
function toNotice({ text, blocks = [section(text)] }: Words): readonly KnownBlock[] {
  const row = blocks.find(block => block.type === 'actions');
  const said = blocks.filter(block => block.type === 'section').slice(0, maxNotice);
  return [...said, ...(row ? [row] : []), { type: 'divider' }];
}

/** What the features show. When nothing is known of incidents, the tab says why, and one can still be declared. */
async function facts(ctx: Context, features: readonly Feature[]): Promise<readonly KnownBlock[]> {
  try {
    const read = await readHomeInput(ctx);
    const since = read.asOf;
    const stale = since
      ? `${incidentSigns.waiting} As of ${toSlackDate(since)}: ${ctx.deps.settings.apiName} does not answer.`
      : '';
    return [...(stale === '' ? [] : [context(stale)]), ...(await partsOf(ctx, features, read, homePlaces))];
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    ctx.log.warn({ err: error }, 'home tab: nothing can be read');
    return [
      section(`${signs.warning} ${explainRead(error, ctx.deps.settings.apiName)}`),
      ...(await partsOf(ctx, features, nothingKnown, ['start'])),
    ];
  }
}

async function partsOf(
  ctx: Context,
  features: readonly Feature[],
  read: HomeInput,
  places: readonly HomePart['place'][],
): Promise<readonly KnownBlock[]> {
  const parts = (await Promise.all(features.map(feature => feature.onHome?.(ctx, read) ?? []))).flat();
  return places.flatMap(place => parts.filter(each => each.place === place)).flatMap(each => each.blocks);
}

function help({ deps: { settings } }: Context): readonly KnownBlock[] {
  const { commandRoot } = settings;
  const text = `In *Messages* beside this tab you can write to me as you would type a command: \`declare checkout is down\`, \`list\`, \`help\`. In a channel it is \`/incident …\`, or \`/${commandRoot} …\`.`;
  return [{ type: 'divider' }, context(text), actions([pressable(allCommandsButton, {})])];
}
