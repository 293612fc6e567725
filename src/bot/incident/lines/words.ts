import type { ActionsBlockElement } from '@slack/types';
import type { LineTable } from '../../schema/lines.ts';
import { slackLimits } from '../../slack/limits.ts';
import { actions, context, section, sentence, type Words } from '../../text/blocks.ts';
import { signs } from '../../text/signs.ts';
import { toSlackDate } from '../../text/times.ts';

/** Most characters of a message's lines; a context holds a little more. */
const maxWords = slackLimits.sectionText - 200;
/** A change done so long after it was asked for says when that was, in milliseconds. */
const lateAfter = 60_000;
/** A change that its room reads so long after it was done says when that was, in milliseconds. */
const oldAfter = 10 * 60_000;

/**
 * A line as people read it: it says who took its change back. The first of its lines is the headline. The place of a declaration follows
 * the incident itself.
 */
export function lineText({ words, undone_by, asked_at, done_at, begun_at, place, actor }: LineTable): string {
  const isLate = place === 'room' && done_at - asked_at > lateAfter;
  const isOld = place === 'room' && actor !== '' && begun_at - done_at > oldAfter;
  const when = isLate ? `asked for ${toSlackDate(new Date(asked_at))}` : isOld ? toSlackDate(new Date(done_at)) : '';
  const text = when === '' ? words : words.replace(/$/m, ` · ${when}`);
  return undone_by === '' || place === 'origin' ? text : `${signs.undone} ${undone_by} took this back: ${text}`;
}

/**
 * The message with these lines of a room, behind words that say which incident they are about. Those that it cannot hold are counted.
 * A change of the incident itself has a message of its own, in normal size; the acts of people around it are small print.
 */
export function lineWords(lines: readonly LineTable[], subject = ''): Words {
  const shown: string[] = [];
  let length = 0;
  for (const line of lines) {
    const text = lineText(line);
    if (shown.length > 0 && length + text.length > maxWords) break;
    shown.push(text);
    length += text.length + 1;
  }
  const more = lines.length - shown.length;
  if (more > 0) shown.push(`… and ${more} more: \`/incident timeline changes\` shows them.`);
  const text = subject + shown.join('\n');
  return lines[0]?.is_alone === 1 ? sentence(text) : { text, blocks: [context(text)] };
}

/** A line that is a message: to those outside the room, with the buttons of the way into it, or about the channel itself. */
export function messageWords(line: LineTable, buttons: readonly ActionsBlockElement[]): Words {
  const text = lineText(line);
  return buttons.length === 0 ? sentence(text) : { text, blocks: [section(text), actions(buttons)] };
}
