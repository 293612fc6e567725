import type { StaticSelect } from '@slack/types';
import { addEvidence, toEvidence } from '../../alerts/evidence.ts';
import { OnOffer, readWaitingOffer } from '../../dispatch/answers/waiting-offer.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import {
  type Button,
  defineButton,
  type Feature,
  menuBlockId,
  pressable,
  type Verb,
} from '../../dispatch/feature/feature.ts';
import { toOption } from '../../dispatch/forms/modal.ts';
import { readChoices, toOptions } from '../../incident/acts/choices.ts';
import { readSeen } from '../../incident/acts/read-incident.ts';
import { alertLinks, alertRow, alertsTitle, namesWords } from '../../incident/board/alert-words.ts';
import { incidentLabel } from '../../incident/state/incident-name.ts';
import { slackLimits } from '../../slack/limits.ts';
import { actions, plain, section, sentence, toMrkdwn } from '../../text/blocks.ts';
import { signs } from '../../text/signs.ts';
import { secondsAfter } from '../../text/times.ts';
import { restRow } from '../../text/words.ts';

/** Groups that the list shows; the others are counted. */
const mostShown = 20;

/** `/incident alerts`: the alerts that an incident is about. */
const alertsList: Verb = {
  noun: 'incident',
  verb: 'alerts',
  aliases: ['alert'],
  argumentKind: 'nothing',
  summary: 'Show the alerts that this incident is about, with their links.',
  reads: true,
  run: async (ctx, _args, incidentID) => {
    const { deps } = ctx;
    // Throws, as for an unknown number, when the person may not see the incident.
    const { incident, notice } = await readSeen(deps, incidentID, ctx.now);
    const offers = await deps.alerts.ofIncident(incident.incidentID);
    const total = offers.reduce((sum, each) => sum + each.total, 0);
    const name = incidentLabel(incident.incidentID, 'Incident');
    if (total === 0)
      return ctx.answer(sentence(`${name} has no alerts. *Add to…* below an alert in its channel adds one.`));
    const head = `${signs.alert} *${total} ${total === 1 ? 'alert' : 'alerts'} of ${name.toLowerCase()}*`;
    const some = offers.flatMap(each => each.alerts).slice(0, mostShown);
    const shown = some.map(alert => {
      const row = `${alertRow(alert, deps.settings)} · ${toMrkdwn(alert.source, 40)}`;
      return [row, namesWords(alert), alertLinks(alert).join(' · ')].filter(each => each !== '').join('\n');
    });
    const lines = [head, ...(notice === '' ? [] : [notice]), ...shown, ...restRow(total, mostShown)];
    await ctx.answer({ text: lines.join('\n'), blocks: lines.map(each => section(each)) });
  },
};

/** For how long *Mute* mutes, in seconds. */
const muteSeconds = 3600;

/** Gives an offer the incident that was chosen. */
const addMenu = defineButton({
  id: 'alert.add.to',
  label: 'Choose an incident',
  value: OnOffer,
  run: async (ctx, { value: { offer }, picked }) => {
    const offered = await readWaitingOffer(ctx, offer);
    if (!offered) return;
    // Throws, as for an unknown number, when the person may not see the incident.
    const { incident } = await readSeen(ctx.deps, picked, ctx.now);
    const evidence = { ...toEvidence(offered, ctx.deps.settings), incidentID: incident.incidentID, takes: offer };
    const { incidentID } = incident;
    await ctx.carryOut(addEvidence, evidence, { incidentID, key: `${offer}/add/${incidentID}`, isExamined: true });
  },
});

/** Asks for the incident to which an offer's alerts belong. */
const addButton = defineButton({
  id: 'alert.add',
  label: 'Add to…',
  value: OnOffer,
  run: async (ctx, { value: { offer } }) => {
    const offered = await readWaitingOffer(ctx, offer);
    if (!offered) return;
    const { deps, now } = ctx;
    const { ongoing, over } = toOptions(
      await readChoices(deps, { active: 40, resolved: 10 }),
      deps.settings.severities,
      now,
    );
    const options = [...ongoing, ...over].slice(0, slackLimits.options);
    if (options.length === 0) return ctx.answer(sentence('There is no incident to add it to. *Declare* makes one.'));
    const menu: StaticSelect = {
      type: 'static_select',
      action_id: addMenu.id,
      placeholder: plain(addMenu.label, slackLimits.placeholder),
      options: options.map(toOption),
    };
    const text = `To which incident does “${toMrkdwn(alertsTitle(offered), 150)}” belong?`;
    await ctx.answer({ text, blocks: [section(text), actions([menu], menuBlockId(addMenu, { offer }))] });
  },
});

/** Stops the offer of a group for a while. */
const muteButton = defineButton({
  id: 'alert.mute',
  label: 'Mute 1 h',
  value: OnOffer,
  run: (ctx, { value: { offer } }) => mute(ctx, offer, secondsAfter(ctx.now, muteSeconds)),
});

const unmuteButton = defineButton({
  id: 'alert.unmute',
  label: 'Unmute',
  value: OnOffer,
  run: (ctx, { value: { offer } }) => mute(ctx, offer, undefined),
});

async function mute(ctx: Context, id: string, until: Date | undefined): Promise<void> {
  const offered = await readWaitingOffer(ctx, id);
  if (!offered) return;
  const isMuted = await ctx.change(isFirst => ctx.deps.alerts.mute(offered.offer.id, until, ctx.actor.userId, isFirst));
  ctx.deps.cards.refresh(offered.offer.id, true);
  const text = isMuted
    ? `${signs.muted} Muted for an hour. What still fires then is offered again.`
    : `${signs.alert} No longer muted.`;
  await ctx.answer(sentence(text));
}

/** Alerts that monitoring sends: whether they are an incident, which one, and those of an incident. */
export const alerts: Feature = {
  verbs: [alertsList],
  buttons: [addButton, addMenu, muteButton, unmuteButton] as Button[],
  onAlert: ({ id, state }) => {
    if (state === 'muted') return [pressable(unmuteButton, { offer: id })];
    return state === 'open' ? [pressable(addButton, { offer: id }), pressable(muteButton, { offer: id })] : [];
  },
};
