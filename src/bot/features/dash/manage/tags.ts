import { z } from 'zod';
import type { TagCount } from '../../../../contract/dashboards.ts';
import type { Context } from '../../../dispatch/feature/context.ts';
import type { Verb } from '../../../dispatch/feature/feature.ts';
import { definePager, pageLine, toTurned } from '../../../dispatch/surfaces/pager.ts';
import { mustPass, whyNotDashboards } from '../../../people/access.ts';
import { actions, code, section, type Words } from '../../../text/blocks.ts';
import { toOneLine } from '../../../text/words.ts';

/** Tags on one page; each takes at most some hundred characters of a message. */
const mostOnPage = 60;
/** Tags in one paragraph, which has at most 3,000 characters (docs/slack.md 5). */
const mostTogether = 20;

async function showTags(ctx: Context, wanted: number): Promise<void> {
  mustPass(whyNotDashboards, ctx.actor);
  const tags = await ctx.deps.api.Dashboards.tags({});
  const sorted = tags.toSorted((one, other) => other.count - one.count || (one.term < other.term ? -1 : 1));
  const turned = toTurned(wanted, Math.max(1, Math.ceil(sorted.length / mostOnPage)));
  const { page } = turned;
  const shown = sorted.slice(page * mostOnPage, (page + 1) * mostOnPage);
  const title = `*Tags of dashboards*: ${sorted.length === 0 ? 'none yet' : sorted.length}`;
  const turns = pager.turns({}, turned);
  const paragraphs = [];
  for (let at = 0; at < shown.length; at += mostTogether) {
    paragraphs.push(
      section(
        shown
          .slice(at, at + mostTogether)
          .map(tagWords)
          .join('\n'),
      ),
    );
  }
  const words: Words = {
    text: [title.replaceAll('*', ''), ...shown.map(tagWords)].join('\n'),
    blocks: [section(title), ...paragraphs, ...pageLine(turned), ...(turns.length > 0 ? [actions(turns)] : [])],
  };
  await ctx.replace(words);
}

function tagWords({ term, count }: TagCount): string {
  return `${code(toOneLine(term), 60)} ${count}`;
}

const pager = definePager({ id: 'dash.tags', value: z.object({}), show: (ctx, _list, page) => showTags(ctx, page) });

/** The buttons that turn the pages of the list of tags. */
export const tagButtons = pager.buttons;

/** The command that lists the tags of dashboards. */
export const tagVerbs: readonly Verb[] = [
  {
    noun: 'dash',
    verb: 'tags',
    aliases: ['tag'],
    needsNoun: true,
    reads: true,
    about: 'anything',
    begins: 'nothing',
    usage: '',
    summary: 'Show to you alone the tags of dashboards, with how many carry each.',
    run: ctx => showTags(ctx, 0),
  },
];
