import { isUnread } from '../../../contract/errors.ts';
import type { Reading } from '../../grammar/choices.ts';
import type { Args, NamedIncident } from '../../grammar/grammar.ts';
import type { IncidentReference } from '../../grammar/tokens.ts';
import type { Begins } from '../../grammar/verb.ts';
import { type IncidentHere, incidentsHere } from '../../incident/acts/incidents-here.ts';
import { readKnown } from '../../incident/acts/read-incident.ts';
import { incidentLabel } from '../../incident/state/incident-name.ts';
import { NotVisible } from '../../people/visibility.ts';
import { isRpcError } from '../answers/receipts.ts';
import type { Context } from '../feature/context.ts';
import type { CommandDraft } from '../feature/drafts.ts';
import { askWhich, type Choice, incidentOption, readingLabel } from './ask-which.ts';

/** A command line that names an incident behind its verb. */
export interface NamingLine {
  readonly draft: CommandDraft;
  readonly named: NamedIncident;
  readonly begins: Begins | undefined;
  /** The verb's arguments when the line is read so. */
  toArgs(reading: Reading): Args | undefined;
}

/**
 * The incident that a line names, and the arguments then; undefined when the word is text. `asked` means that the person was
 * asked, and nothing is to be done. `here` is the channel's own incident.
 */
export async function readNamed(
  ctx: Context,
  line: NamingLine,
  here: string | undefined,
): Promise<{ readonly incidentID: string; readonly args: Args | undefined } | 'asked' | undefined> {
  const { reference, isCertain, isBare, isAhead, apart, whole } = line.named;
  const [named, ...others] = await incidentsNamed(ctx, line.named);
  const incidentID = named?.incidentID ?? '';
  if (named && others.length > 0) {
    const all = [named, ...others];
    const question = `${nameOf(reference)} has ${all.length} active incidents, so nothing was done yet. Which one do you mean?`;
    const choices = all.map(each => ({ ...choice(line, apart, each.incidentID), label: incidentOption(each) }));
    await askWhich(ctx, question, isCertain ? choices : [...choices, choice(line, whole, isAhead ? undefined : here)]);
    return 'asked';
  }
  if (isCertain) {
    if (incidentID !== '') return { incidentID, args: line.toArgs(apart) };
    await ctx.reject(`${nameOf(reference)} has no incident. Nothing was done.`);
    return 'asked';
  }
  const isAlone = (line.toArgs(apart)?.sentence ?? '') === '';
  if (incidentID === '') return undefined;
  // In an incident’s own room people count replicas and nodes. What ends or opens an incident asks all the same.
  if (isBare && !isAhead && !isAlone && here !== undefined && line.begins !== 'reason') return undefined;
  if (!isAhead) {
    if (line.begins === 'prose' && isAlone) return undefined;
    if (incidentID === here) return isAlone ? { incidentID, args: line.toArgs(apart) } : undefined;
  }
  const isThere = await exists(ctx, incidentID);
  if (!isThere && !isAhead && (line.begins === 'prose' || line.begins === 'reason')) return undefined;
  const asText = choice(line, whole, isAhead ? undefined : here);
  const label = incidentLabel(incidentID);
  if (!isThere) {
    await askWhich(ctx, `There is no ${label}. Nothing was done.`, [asText]);
    return 'asked';
  }
  await askWhich(ctx, `Do you mean ${label}, or is that part of the text? Nothing was done yet.`, [
    choice(line, apart, incidentID),
    asText,
  ]);
  return 'asked';
}

function choice(line: NamingLine, reading: Reading, incidentID: string | undefined): Choice {
  const command = readingLabel(reading, line.toArgs(reading)?.raw ?? '');
  const label = incidentID === undefined ? command : `#${incidentID}: ${command}`;
  return { label, draft: { ...line.draft, as: reading }, ...(incidentID === undefined ? {} : { incidentID }) };
}

/** The channel as Slack shows it; `""` for a number. */
function nameOf(reference: IncidentReference): string {
  return reference.kind === 'channel' ? `<#${reference.channelId}>` : '';
}

/** The incidents that may be meant: none when a channel has none, or none of which the person may know. */
async function incidentsNamed(
  { deps, actor, now }: Context,
  { reference }: NamedIncident,
): Promise<readonly IncidentHere[]> {
  const numbered = reference.id === '' ? [] : [{ incidentID: reference.id, title: '' }];
  if (reference.kind === 'number') return numbered;
  try {
    const there = await incidentsHere(deps, { teamId: actor.teamId, channelId: reference.channelId }, now);
    return there.length > 0 ? there : numbered;
  } catch (error) {
    // While nobody can tell whether they may know of them, the channel has none.
    if (isRpcError(error)) return numbered;
    throw error;
  }
}

/** Whether there is such an incident; taken for granted while the API is away. */
async function exists(ctx: Context, incidentID: string): Promise<boolean> {
  try {
    await readKnown(ctx.deps, incidentID);
    return true;
  } catch (error) {
    if (error instanceof NotVisible) return false;
    if (!isRpcError(error)) throw error;
    return isUnread(error);
  }
}
