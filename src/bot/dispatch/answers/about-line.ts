import type { IncidentDeps } from '../../incident/acts/intent-kind.ts';
import { incidentLabel, titleBehind } from '../../incident/state/incident-name.ts';
import { isProvisional } from '../../journal/provisional-id.ts';
import { context, section, type Words } from '../../text/blocks.ts';
import { cutMrkdwn } from '../../text/words.ts';

/** An act that a person asked for: its incident (`""` for none), and the end of the sentence “You asked me to …”, as mrkdwn. */
export interface RequestedAct {
  readonly incidentID: string;
  readonly what: string;
}

/** Acts that one answer names. */
const mostNamed = 5;

/**
 * The answer with a line above it that says what it is about. A person needs that where they did not act: in a direct message. The line
 * names the incident by number and title, and what was asked for.
 */
export async function addAboutLine(
  { rooms, snapshots }: IncidentDeps,
  words: Words,
  asked: readonly RequestedAct[],
): Promise<Words> {
  const [first] = asked;
  if (first === undefined) return words;
  const incidentID = await rooms.currentID(first.incidentID);
  const title = (await snapshots.get(incidentID).catch(() => undefined))?.summary.title ?? '';
  const name = isProvisional(incidentID) ? 'An incident without a number' : incidentLabel(incidentID, 'Incident');
  const incident = incidentID === '' ? [] : [`*${name}*${titleBehind(title)}`];
  const acts = asked.slice(0, mostNamed).map(({ what }) => `You asked me to ${cutMrkdwn(what, 300)}.`);
  const text = [...incident, ...acts].join('\n');
  return {
    ...words,
    text: `${text}\n${words.text}`,
    blocks: [context(text), ...(words.blocks ?? [section(words.text)])],
  };
}
