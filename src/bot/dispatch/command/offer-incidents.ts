import type { KnownBlock, StaticSelect } from '@slack/types';
import { z } from 'zod';
import { type IncidentOption, readChoices, toOptions } from '../../incident/acts/choices.ts';
import { isDirectMessage } from '../../slack/channel-ids.ts';
import { slackLimits } from '../../slack/limits.ts';
import { actions, plain, plainContext, section } from '../../text/blocks.ts';
import { typedBack } from '../answers/typed-back.ts';
import type { Context } from '../feature/context.ts';
import { defineButton, menuBlockId, pressable, type Verb } from '../feature/feature.ts';
import { resumeButton } from '../feature/resume.ts';
import { toOption } from '../forms/modal.ts';
import { noIncidentYet } from '../forms/no-incident.ts';

/** Incidents in the menu, at most: a longer one is not read. */
const most = { active: 40, resolved: 10 };

/** Resumes a draft about the incident that was chosen in the menu. */
export const pickMenu = defineButton({
  id: 'muster.pick',
  label: 'Choose an incident',
  value: z.object({ draft: z.string() }),
  // The draft's own access check follows.
  reads: true,
  run: (ctx, { value: { draft }, picked }) => resumeButton.run(ctx, { value: { draft, incidentID: picked }, picked }),
});

/**
 * Asks which incident a command is about, in a channel that has none: those that go on first. One that is over is offered to those who
 * only look, or reopen it; to others only when none goes on.
 */
export async function offerIncidents(ctx: Context, verb: Verb): Promise<void> {
  const { deps, now, actor, key } = ctx;
  const { ongoing, over } = toOptions(await readChoices(deps, most), deps.settings.severities, now);
  const fitting = {
    ongoing: verb.meansResolved ? [] : ongoing,
    over: verb.reads || verb.meansResolved || ongoing.length === 0 ? over : [],
  };
  if (fitting.ongoing.length + fitting.over.length === 0) {
    if (ongoing.length + over.length > 0) return ctx.reject('No incident is resolved.');
    const { text, offers } = noIncidentYet(actor);
    return ctx.reject(text, offers);
  }
  const draft = ctx.draft ? await deps.drafts.keep(actor, ctx.draft, key, now) : '';
  const here = isDirectMessage(ctx.location.channelId) ? '' : 'This channel has no incident. ';
  const none = fitting.ongoing.length === 0 && !verb.reads && !verb.meansResolved ? 'None is active. ' : '';
  const text = `${here}${none}Which one do you mean with \`/${verb.noun} ${verb.verb}\`?`;
  const toBlocks = (groups: Groups) => [section(text), ...choices(draft, groups), ...typedBack(ctx.draft)];
  await ctx.answer({ text, blocks: shortened(fitting, toBlocks) });
}

/** The options of a menu in their two groups. */
interface Groups {
  readonly ongoing: readonly IncidentOption[];
  readonly over: readonly IncidentOption[];
}

/** The message with as many options as Slack takes; the oldest of those that are over go first. */
function shortened(groups: Groups, toBlocks: (groups: Groups) => readonly KnownBlock[]): readonly KnownBlock[] {
  const blocks = toBlocks(groups);
  const { ongoing, over } = groups;
  if (JSON.stringify(blocks).length <= slackLimits.messageJson || ongoing.length + over.length === 1) return blocks;
  const fewer = over.length > 0 ? { ongoing, over: over.slice(0, -1) } : { ongoing: ongoing.slice(0, -1), over };
  return shortened(fewer, toBlocks);
}

/** One press for the only one that goes on, and a menu for all others. */
function choices(draft: string, { ongoing, over }: Groups): readonly KnownBlock[] {
  const [only, another] = ongoing;
  const isOne = only !== undefined && another === undefined;
  const inMenu = { ongoing: isOne ? [] : ongoing, over };
  const toGroup = (label: string, options: readonly IncidentOption[]) =>
    options.length === 0
      ? []
      : [{ label: plain(`${label} (${options.length})`, slackLimits.optionText), options: options.map(toOption) }];
  const menu: StaticSelect = {
    type: 'static_select',
    action_id: pickMenu.id,
    placeholder: plain(pickMenu.label, slackLimits.placeholder),
    option_groups: [...toGroup('Active', inMenu.ongoing), ...toGroup('Recently resolved', over)],
  };
  const button =
    isOne && pressable(resumeButton, { draft, incidentID: only.value }, { label: only.label, style: 'primary' });
  return [
    ...(button ? [actions([button]), plainContext(only.description)] : []),
    ...(inMenu.ongoing.length + over.length > 0 ? [actions([menu], menuBlockId(pickMenu, { draft }))] : []),
  ];
}
