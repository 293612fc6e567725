import type { Context } from '../../dispatch/feature/context.ts';
import type { Feature } from '../../dispatch/feature/feature.ts';
import { remindPerson } from '../../duties/remind.ts';
import type { Args } from '../../grammar/grammar.ts';
import { readKnown } from '../../incident/acts/read-incident.ts';
import { incidentLabel } from '../../incident/state/incident-name.ts';
import { homeMention } from '../../incident/state/room-mention.ts';
import { findMode, reminderModes } from '../../incident/state/room-store.ts';
import { sentence, toMrkdwn } from '../../text/blocks.ts';
import { restRow, toOneLine } from '../../text/words.ts';
import { below, reminderButtons } from './buttons.ts';
import { meanings, owedLine } from './words.ts';

/** Duties that the list shows; the others are counted. */
const mostShown = 15;

async function runReminders(ctx: Context, args: Args, incidentID: string): Promise<void> {
  const { deps } = ctx;
  // Throws, as for an unknown number, when the person may not see the incident.
  await readKnown(deps, incidentID);
  const name = incidentLabel(incidentID, 'Incident');
  const room = await deps.rooms.ofIncident(incidentID);
  if (!room || room.channelId === '') return ctx.reject(`${name} has no channel. Nothing was changed.`);
  const typed = toOneLine(args.text);
  const mode = findMode(reminderModes, typed);
  if (mode !== undefined) {
    await deps.rooms.setReminders(incidentID, mode);
    // What is owed follows the card.
    deps.cards.refresh(incidentID);
    return ctx.answer(sentence(`From now on in ${homeMention(room)}, ${meanings[mode]}.`));
  }
  const unread = typed === '' ? '' : `“${toMrkdwn(typed, 60)}” is not one of the three ways. `;
  const current = meanings[room.reminders || deps.settings.reminders.mode];
  const owed = await deps.duties.ofIncident(incidentID);
  const lines = [
    `${unread}In ${homeMention(room)}, ${current}.`,
    owed.length === 0 ? 'Nothing is owed here now.' : '*What is owed next:*',
    ...owed.slice(0, mostShown).map(each => owedLine(each, ctx.now)),
    ...restRow(owed.length, mostShown),
    ...reminderModes.map(each => `\`/incident reminders ${each}\`: ${meanings[each]}`),
  ];
  await (unread === '' ? ctx.answer(sentence(lines.join('\n'))) : ctx.reject(lines.join('\n')));
}

/** Reminders of what is owed: who gets them, how they are put off, and what is owed next. */
export const reminders: Feature = {
  name: 'reminders',
  verbs: [
    {
      noun: 'incident',
      verb: 'reminders',
      aliases: ['reminder', 'remind', 'nudge'],
      begins: 'words',
      usage: '[on|owner|off]',
      summary: 'Show what is owed next in this incident, and say who is reminded of it.',
      about: 'incident',
      needsRegistered: true,
      run: runReminders,
    },
  ],
  buttons: reminderButtons,
  intents: [remindPerson],
  onReminder: below,
};
