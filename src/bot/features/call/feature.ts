import type { Context, Modal } from '../../dispatch/feature/context.ts';
import { type Button, type Feature, pressable } from '../../dispatch/feature/feature.ts';
import { onCard } from '../../dispatch/surfaces/card-buttons.ts';
import type { Args } from '../../grammar/grammar.ts';
import type { IntentKind } from '../../incident/acts/intent-kind.ts';
import { actions } from '../../text/blocks.ts';
import { answerButtons } from './answer.ts';
import { callDue, callNext } from './chain.ts';
import { callAs, callButton, form, openForm } from './form.ts';
import { callIntents } from './intents.ts';
import { onCall } from './on-call.ts';
import { readTargets } from './targets.ts';

async function runCall(ctx: Context, args: Args, incidentID: string): Promise<void> {
  const named = await readTargets(ctx, args);
  if ('problem' in named) {
    const offer = actions([pressable(callButton, { incidentID })]);
    return ctx.reject(`${named.problem} Nobody was called.`, [offer]);
  }
  if (named.targets.length === 0) return openForm(ctx, incidentID, named.why);
  await callAs(ctx, incidentID, named.targets, named.why);
}

/** Calling people to an incident: a group of Slack's or single people, and the chains of the settings. */
export const call: Feature = {
  name: 'call',
  verbs: [
    {
      noun: 'incident',
      verb: 'call',
      aliases: ['wake', 'ping', 'summon'],
      begins: 'words',
      usage: '[@group | @person …] [why]',
      summary: 'Call people: Muster invites them, asks each directly, and shows who comes. Without a name, in a form.',
      about: 'incident',
      run: runCall,
    },
    onCall,
  ],
  modals: [form] as Modal[],
  buttons: [callButton as Button, ...answerButtons],
  intents: [...callIntents, callNext] as IntentKind[],
  onCard: ({ incidentID, status }) => (status === 'resolved' ? [] : [onCard('call', callButton, { incidentID })]),
  onDeclared: incidentID => [pressable(callButton, { incidentID })],
  onReminder: ({ kind, incidentID }) =>
    kind === 'call' ? [pressable(callButton, { incidentID }, { label: 'Call others' })] : [],
  onTick: callDue,
};
