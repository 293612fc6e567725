import type { Incident } from '../../../contract/incidents.ts';
import type { Visibility } from '../../people/visibility.ts';
import type { Slack } from '../../slack/clients.ts';
import type { Reception, Refusals } from '../../slack/refusals.ts';
import { sentence } from '../../text/blocks.ts';
import type { Room, Rooms } from '../state/room-store.ts';
import type { Settings } from '../state/settings.ts';
import { elsewhereLine } from './elsewhere-line.ts';
import type { RoundPace } from './pace.ts';
import type { Lines } from './store.ts';
import { lineSubject } from './subject.ts';
import type { Told } from './told.ts';
import { writeLine } from './write.ts';

/** The parts of Muster that telling a room uses. */
interface TellDeps {
  readonly slack: Slack;
  readonly visibility: Pick<Visibility, 'share'>;
  readonly refusals: Refusals;
  readonly told: Told;
  readonly lines: Pick<Lines, 'close'>;
  readonly rooms: Pick<Rooms, 'isAlone'>;
  readonly settings: Pick<Settings, 'receipts'>;
}

/**
 * Tells the room in one line about changes made elsewhere. Edits the line of the last minute if there is one. The caller holds the lease
 * of the incident's card, so one process tells at a time.
 */
export async function tellElsewhere(
  { slack, visibility, refusals, told, lines, rooms, settings }: TellDeps,
  room: Room,
  incident: Incident,
  { version, pace }: { readonly version: number; readonly pace: RoundPace },
): Promise<Reception> {
  const { channelId: channel, cardTs, isPrivate } = room;
  if (channel === '') return 'taken';
  const line = await told.compare(incident, version);
  if (line === undefined) return 'taken';
  // What is Muster's own shows when its write is done.
  if (line === 'unsettled') return 'later';
  const { incidentID } = incident;
  const mode = room.receipts || settings.receipts;
  // What stands is still corrected in a room that is quiet now.
  const isSilent = mode === 'quiet' && line.ts === '' && !line.mayStand;
  if (isSilent || (await visibility.share('line', incident, channel)) !== 'all') {
    await told.said(incidentID, line, '');
    return 'taken';
  }
  const words = sentence((await lineSubject(rooms, room)) + elsewhereLine(line.differences));
  let { ts } = line;
  const { id, mayStand, since } = line;
  const threadTs = mode === 'thread' ? cardTs : '';
  const write = async () => {
    ts = await writeLine(
      slack,
      { channel, ...(threadTs ? { threadTs } : {}), id, part: 'line', ts, mayStand, since },
      words,
    );
    pace.wrote('lines');
  };
  const method = ts === '' ? 'chat.postMessage' : 'chat.update';
  if ((await refusals.attempt({ method, channel, isPrivate }, write)) === 'later') return 'later';
  if (line.ts === '' && threadTs === '') await lines.close(incidentID);
  // A line that Slack refuses is not said: the card shows the same.
  await told.said(incidentID, line, ts);
  return 'taken';
}
