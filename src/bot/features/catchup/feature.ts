import { catchUpFace } from '../../dispatch/answers/catch-up.ts';
import { askWhich } from '../../dispatch/command/ask-which.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import type { Button, Feature } from '../../dispatch/feature/feature.ts';
import { onCard } from '../../dispatch/surfaces/card-buttons.ts';
import { type Args, flagOn } from '../../grammar/grammar.ts';
import { whyNot } from '../../people/access.ts';
import { timeLength } from '../../text/times.ts';
import { toOneLine } from '../../text/words.ts';
import { postedCatchUp } from './posted.ts';
import { catchUpButton, showCatchUp } from './show.ts';
import { readSince } from './since.ts';

async function runCatchUp(ctx: Context, args: Args, incidentID: string): Promise<void> {
  const since = readSince(ctx, args);
  if ('problem' in since) return ctx.reject(since.problem);
  if ('unknown' in since) return askWhat(ctx, args, incidentID);
  if (!flagOn(args, 'post')) return showCatchUp(ctx, incidentID, since);
  const refused = whyNot(ctx.actor);
  if (refused !== undefined) return ctx.reject(refused);
  const room = await ctx.deps.rooms.ofIncident(incidentID);
  if (!room || room.channelId !== ctx.location.channelId)
    return ctx.reject('`--post` posts it for everybody in the incident’s channel. Type it there.');
  const from = since.from instanceof Date ? since.from.getTime() : 0;
  await postedCatchUp.post(ctx, { incidentID, since: from });
}

/** The words may be a note, or a time that is none. */
async function askWhat(ctx: Context, { raw }: Args, incidentID: string): Promise<void> {
  const says = 'I can catch you up since you last looked, `since 20m ago`, or `from the start`.';
  await askWhich(ctx, says, [
    { label: catchUpFace.label, draft: { kind: 'command', root: 'incident', text: 'catchup' }, incidentID },
    {
      label: `Add it as a note: ${toOneLine(raw)}`,
      draft: { kind: 'command', root: 'note', text: `add ${raw}` },
      incidentID,
    },
  ]);
}

/** Catching a person up: what happened in an incident since they last looked. */
export const catchup: Feature = {
  name: 'catchup',
  verbs: [
    {
      noun: 'incident',
      verb: 'catchup',
      aliases: ['recap', 'summarize', 'summarise'],
      begins: 'nothing',
      usage: '[since 02:00 | from the start]',
      summary: 'Show you alone what happened since you last looked; with --post, show it to all.',
      flags: {
        since: { kind: 'phrase', length: timeLength, hint: 'from when on: 20m ago, 02:00' },
        post: { kind: 'switch', aliases: ['share'] },
      },
      reads: true,
      about: 'incident',
      run: runCatchUp,
    },
  ],
  buttons: [catchUpButton, postedCatchUp.button] as Button[],
  onCard: ({ incidentID, status }) => (status === 'resolved' ? [] : [onCard('last', catchUpButton, { incidentID })]),
  operations: {
    'IncidentsService.GetIncident': ['/incident catchup', 'button catchup', 'button catchup.post'],
    'ActivityService.QueryActivity': ['/incident catchup', 'button catchup', 'button catchup.post'],
  },
};
