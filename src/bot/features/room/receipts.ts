import type { Context } from '../../dispatch/feature/context.ts';
import type { Feature } from '../../dispatch/feature/feature.ts';
import type { Args } from '../../grammar/grammar.ts';
import { readKnown } from '../../incident/acts/read-incident.ts';
import { incidentLabel } from '../../incident/state/incident-name.ts';
import { homeMention } from '../../incident/state/room-mention.ts';
import { findMode, type ReceiptMode, receiptModes } from '../../incident/state/room-store.ts';
import { sentence, toMrkdwn } from '../../text/blocks.ts';
import { toOneLine } from '../../text/words.ts';

const meanings: Readonly<Record<ReceiptMode, string>> = {
  channel: 'each change is a line in the channel',
  thread: 'each change is a line in the card’s thread',
  quiet: 'changes only update the card',
};

async function runReceipts(ctx: Context, args: Args, incidentID: string): Promise<void> {
  const { deps } = ctx;
  // Throws, as for an unknown number, when the person may not see the incident.
  await readKnown(deps, incidentID);
  const name = incidentLabel(incidentID, 'Incident');
  const room = await deps.rooms.ofIncident(incidentID);
  if (!room || room.channelId === '') return ctx.reject(`${name} has no channel. Nothing was changed.`);
  const where = homeMention(room);
  const typed = toOneLine(args.text);
  const mode = findMode(receiptModes, typed);
  if (mode !== undefined) {
    await deps.rooms.setReceipts(incidentID, mode);
    return ctx.answer(sentence(`From now on, ${meanings[mode]} in ${where}.`));
  }
  const unread = typed === '' ? '' : `“${toMrkdwn(typed, 60)}” is not one of the three ways. `;
  const current = meanings[room.receipts || deps.settings.receipts];
  const ways = receiptModes.map(each => `• \`/incident receipts ${each}\`: ${meanings[each]}`).join('\n');
  await ctx.reject(`${unread}In ${where} ${current}.\n${ways}`);
}

/** How a room is told of changes. */
export const receipts: Feature = {
  name: 'receipts',
  verbs: [
    {
      noun: 'incident',
      verb: 'receipts',
      begins: 'words',
      usage: 'channel|thread|quiet',
      summary:
        'Say how this incident’s channel is told of changes: a line each, in its card’s thread, or on the card alone.',
      about: 'incident',
      needsRegistered: true,
      run: runReceipts,
    },
  ],
};
