import { askWhich } from '../../dispatch/command/ask-which.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import { openPageFace } from '../../dispatch/feature/faces.ts';
import { type Button, type Feature, pressable } from '../../dispatch/feature/feature.ts';
import { incidentButton, onCard } from '../../dispatch/surfaces/card-buttons.ts';
import { rootNoun } from '../../grammar/verb.ts';
import { incidentsHere } from '../../incident/acts/incidents-here.ts';
import { readHeadline } from '../../incident/acts/read-incident.ts';
import { incidentLabel } from '../../incident/state/incident-name.ts';
import { toWebUrl } from '../../incident/state/settings.ts';
import { actions, section, toSafeUrl } from '../../text/blocks.ts';
import { signs } from '../../text/signs.ts';

/** Answers with the link, which they alone read. */
const openPage = incidentButton({ ...openPageFace, reads: true }, async (ctx, incidentID) => {
  const words = await linkWords(ctx, incidentID);
  await ctx.answer({ text: words, blocks: [section(words)] });
});

async function linkWords(ctx: Context, incidentID: string): Promise<string> {
  const { pageLink, settings, rooms, channels } = ctx.deps;
  const { overviewURL } = incidentID === '' ? { overviewURL: '' } : await readHeadline(ctx.deps, incidentID);
  const name = overviewURL === '' ? 'the list of incidents' : `the page of ${incidentLabel(incidentID)}`;
  if (!pageLink) {
    const url = toWebUrl(settings, overviewURL || '/incidents');
    if (url !== '') return `<${url}|Open ${name}>`;
    return 'Muster’s pages are off. Your Muster administrator turns them on with `PAGES=slack`.';
  }
  const { channelId } = ctx.location;
  // Slack lets them act there, so they are in it, whatever was stored before.
  if (channelId !== '' && (await rooms.ofIncident(incidentID))?.channelId === channelId)
    await channels.recordMember(channelId, ctx.actor.userId);
  const link = toSafeUrl(await pageLink(ctx.actor.userId, overviewURL || '/incidents'));
  return `<${link}|Open ${name}> in your browser. The link is yours alone: it works once, within ten minutes.`;
}

/** Handing people links to the pages that they may read. */
export const page: Feature = {
  verbs: [
    {
      noun: rootNoun,
      verb: 'web',
      alone: true,
      summary: 'Get a link of your own to the page of the incident here, or to the list of incidents.',
      words: [{ verb: 'page', aliases: ['pages'], alone: true, reads: true }],
      reads: true,
      about: 'anything',
      run: async (ctx, { verb }) => {
        const [here] = await incidentsHere(
          ctx.deps,
          { teamId: ctx.actor.teamId, channelId: ctx.location.channelId },
          ctx.now,
        );
        const incidentID = here?.incidentID ?? '';
        const words = await linkWords(ctx, incidentID);
        if (verb === 'web' || ctx.deps.pagers.names.length === 0)
          return ctx.answer({ text: words, blocks: [section(words)] });
        // “Page” may be meant to wake people, and at night a person does not read twice.
        const says = `${words}\n${signs.call} *Nobody was paged.* To page people, press the button, or type \`/incident page [pager] [why]\`.`;
        const draft = { kind: 'command', root: 'incident', text: 'page' } as const;
        await askWhich(ctx, says, [{ label: 'Page somebody', draft, incidentID }]);
      },
    },
  ],
  buttons: [openPage] as Button[],
  onCard: ({ incidentID }, { opensByLink }) => (opensByLink ? [onCard('last', openPage, { incidentID })] : []),
  onHome: async ctx =>
    ctx.deps.pageLink === undefined
      ? []
      : [{ place: 'start', blocks: [actions([pressable(openPage, { incidentID: '' }, { label: 'Open the pages' })])] }],
};
