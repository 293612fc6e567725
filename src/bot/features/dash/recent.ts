import type { KnownBlock } from '@slack/types';
import type { Context } from '../../dispatch/feature/context.ts';
import { pressable, type Verb } from '../../dispatch/feature/feature.ts';
import { incidentLabel } from '../../incident/state/incident-name.ts';
import { whyNotDashboards } from '../../people/access.ts';
import { section, sentence, toMrkdwn, toSafeUrl } from '../../text/blocks.ts';
import { when } from '../../text/shown-times.ts';
import { toLabel } from './link/link.ts';
import { type LinkedDashboard, readLinked } from './link/linked.ts';
import { showButton } from './manage/show.ts';

/** Links that are listed at most. */
const mostListed = 10;

async function runRecent(ctx: Context): Promise<void> {
  const linked = await readLinked(ctx);
  const latest = linked.filter((one, index) => linked.findIndex(other => other.url === one.url) === index);
  if (latest.length === 0) {
    await ctx.answer(sentence('No dashboard was linked recently. `/dash link` lists them all.'));
    return;
  }
  const shown = latest.slice(0, mostListed);
  const mayShow = whyNotDashboards(ctx.actor) === undefined;
  const title = '*Dashboards linked recently*, this channel’s incident first';
  await ctx.answer({
    text: `Dashboards linked recently: ${shown.map(each => toMrkdwn(each.title, 60)).join(', ')}`,
    blocks: [section(title), ...shown.map((each, index) => toRow(each, index + 1, mayShow))],
  });
}

function toRow(each: LinkedDashboard, place: number, mayShow: boolean): KnownBlock {
  const { uid, title, url, incidentID, at, by } = each;
  const who = by === '' ? '' : `, linked by ${toMrkdwn(by, 80)}`;
  const line = `<${toSafeUrl(url)}|${toLabel(title)}>\n${incidentLabel(incidentID)}${who} ${when(at)}`;
  return section(
    line,
    uid !== '' && mayShow ? pressable(showButton, { uid }, { spoken: `Show dashboard ${place}, ${title}` }) : undefined,
  );
}

/** The command that lists the dashboards linked lately. */
export const recentVerbs: readonly Verb[] = [
  {
    noun: 'dash',
    verb: 'recent',
    aliases: ['list', 'ls', 'recents'],
    needsNoun: true,
    reads: true,
    about: 'anything',
    begins: 'nothing',
    usage: '',
    summary: 'List to you alone the dashboards that the timelines of the latest incidents link.',
    run: runRecent,
  },
];
