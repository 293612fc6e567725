import { isUnread } from '../../../contract/errors.ts';
import { type Args, flagText, type NamedIncident, type Parsed, parseCommand } from '../../grammar/grammar.ts';
import type { ArgumentKind, Reading } from '../../grammar/verb.ts';
import { distinct, type IncidentReference, normalize, umbrella } from '../../grammar/words.ts';
import { type IncidentHere, incidentsHere } from '../../incident/acts/incidents-here.ts';
import { isThere, readKnown } from '../../incident/acts/read-incident.ts';
import { notYet, toCurrentID } from '../../incident/acts/registration.ts';
import { incidentLabel } from '../../incident/state/incident-name.ts';
import { isProvisional } from '../../journal/provisional-id.ts';
import { asksForOwn } from '../../people/mentions.ts';
import type { Person } from '../../people/person.ts';
import { whyNot, whyNotRead } from '../../people/reach.ts';
import { NotVisible } from '../../people/visibility.ts';
import { section, sentence, toMrkdwn, type Words } from '../../text/blocks.ts';
import { isRpcError } from '../answers/receipts.ts';
import { typedBack } from '../answers/typed-back.ts';
import type { Context } from '../feature/context.ts';
import type { Deps } from '../feature/deps.ts';
import type { CommandLine } from '../feature/drafts.ts';
import type { Verb } from '../feature/feature.ts';
import { askWhich, type Choice, incidentOption, readingLabel } from './ask-which.ts';
import { type HelpTopic, learnedWords, unknownVerb } from './help.ts';
import { offerIncidents } from './offer-incidents.ts';

/** The plan for a command line: words about the command itself, or a verb to run. */
export type CommandPlan =
  | { readonly words: Words }
  | {
      readonly run: (ctx: Context) => Promise<void>;
      /** Corrects the effect of an earlier delivery of the message, in place of `run`. False: there is none to correct. */
      readonly correct: (ctx: Context, first: string) => Promise<boolean>;
      /** It only shows something. */
      readonly reads: boolean;
      /** It wakes people. */
      readonly isUrgent?: boolean;
      readonly access: (person: Person) => string | undefined;
    };

type Parse = (line: Omit<CommandLine, 'kind'>) => Parsed;

/** Makes the planner of command lines. `picked` is the incident that was picked for a command, or `""`. */
export function planCommand(
  deps: Deps,
  verbs: readonly Verb[],
  help: (topic: HelpTopic) => Words,
): (draft: CommandLine, picked: string) => CommandPlan {
  const { commandRoot, channelPrefix } = deps.settings;
  const parse: Parse = line =>
    parseCommand(verbs, { commandRoot, channelPrefix, self: deps.slack.identity.botUserId, ...line });
  const find = (noun: string, name: string): Verb => {
    const verb = verbs.find(each => each.noun === noun && each.verb === name);
    if (!verb) throw new Error(`The grammar knows a verb that no feature has: ${noun} ${name}`);
    return verb;
  };
  const asRead = (run: (ctx: Context) => Promise<void>): CommandPlan => ({
    run,
    correct: async () => false,
    reads: true,
    access: whyNotRead,
  });
  return (draft, picked) => {
    const parsed = parse(draft);
    switch (parsed.kind) {
      case 'help': {
        const isHere = parsed.noun === umbrella && parsed.verb === undefined && !parsed.isWhole;
        if (!isHere) return { words: help(parsed) };
        // A person who may read nothing here gets the help that tells of no incident.
        const run = (ctx: Context) =>
          whyNotRead(ctx.actor) === undefined ? helpHere(ctx, verbs) : ctx.answer(help(parsed));
        return { ...asRead(run), access: () => undefined };
      }
      case 'talk':
        return { words: sentence(parsed.says) };
      case 'bare': {
        const verb = verbs.find(each => each.bare && each.noun === parsed.noun);
        const alone = verb && parse({ root: verb.noun, text: verb.verb });
        if (!verb || alone?.kind !== 'verb') return { words: help(parsed) };
        return asRead(ctx => (verb.noun === umbrella ? showHere : runVerb)(ctx, verb, alone.args, picked));
      }
      case 'unknown': {
        const text = unknownVerb(parsed, [], { verbs, commandRoot });
        if (parsed.readings.length === 0) return { words: { text, blocks: [section(text), ...typedBack(draft)] } };
        return asRead(async ctx => {
          const readings = await withoutSecond(ctx, parsed, find(umbrella, 'declare'));
          const meant = readings.filter(each => each.from > parsed.at);
          const choices = readings.map(reading => toChoice(draft, reading, parse, find));
          await askWhich(ctx, unknownVerb(parsed, meant, { verbs, commandRoot }), choices);
        });
      }
      case 'invalid': {
        const problem = `${toMrkdwn(parsed.problem)}\n\`/${parsed.noun} ${parsed.verb} help\` shows how to write it.`;
        return { words: { text: problem, blocks: [section(problem), ...typedBack(draft)] } };
      }
      case 'verb': {
        const verb = find(parsed.noun, parsed.verb);
        const { args, named } = parsed;
        const toArgs = (reading: Reading) => {
          const read = parse({ ...draft, as: reading });
          return read.kind === 'verb' ? read.args : undefined;
        };
        const { argumentKind, ends = false } = verb;
        const line = named && { draft, named, argumentKind, ends, toArgs, declare: find(umbrella, 'declare') };
        return {
          run: ctx => runWhole(ctx, verb, args, picked, line),
          correct: async (ctx, first) => (await verb.correct?.(ctx, args, first)) ?? false,
          reads: verb.reads === true,
          isUrgent: verb.wakes !== undefined,
          access: verb.reads ? whyNotRead : whyNot,
        };
      }
    }
  };
}

/** The readings in a room with a live incident: a word that does not say so is a note there, and declares no second incident. */
async function withoutSecond(
  ctx: Context,
  { readings, typed, at }: { readonly readings: readonly Reading[]; readonly typed: string; readonly at: number },
  { noun, verb, aliases = [] }: Verb,
): Promise<readonly Reading[]> {
  const isTyped = [verb, ...aliases].includes(normalize(typed));
  if (isTyped || (await readHere(ctx)) !== 'active') return readings;
  const asNote = ({ from }: Reading): Reading => ({ noun: 'note', verb: 'add', from: Math.min(from, at) });
  return distinct(readings.map(each => (each.noun === noun && each.verb === verb ? asNote(each) : each)));
}

function toChoice(
  draft: CommandLine,
  reading: Reading,
  parse: Parse,
  find: (noun: string, verb: string) => Verb,
): Choice {
  const as = { ...draft, as: reading };
  const parsed = parse(as);
  const raw = parsed.kind === 'verb' ? parsed.args.raw : parsed.kind === 'invalid' ? parsed.raw : '';
  const about = reading.names?.incident ? `#${reading.names.incident}: ` : '';
  const choice = { label: about + readingLabel(reading, raw), draft: as };
  if (parsed.kind !== 'verb') return choice;
  const { wakes } = find(parsed.noun, parsed.verb);
  return wakes ? { ...choice, wakes: ctx => wakes(ctx, parsed.args) } : choice;
}

/** Runs a verb, and says which words it has no use for. */
async function runWhole(ctx: Context, verb: Verb, args: Args, picked: string, line?: NamingLine): Promise<void> {
  await runVerb(ctx, verb, args, picked, line);
  const { usage, noun } = verb;
  const isUnused = usage === undefined || (usage === '[me]' && !asksForOwn(args.text));
  // A question is not recorded.
  if (!isUnused || args.text === '' || args.text.endsWith('?')) return;
  const words = `“${toMrkdwn(args.text, 2000)}”`;
  await ctx.answer(
    sentence(`\`/${noun} ${verb.verb}\` takes no words, so ${words} is recorded nowhere. \`/note …\` records it.`),
  );
}

/** `line` is the command line where it names an incident behind its verb. */
async function runVerb(ctx: Context, verb: Verb, args: Args, picked: string, line?: NamingLine): Promise<void> {
  const { deps, location, actor, now } = ctx;
  if (verb.about === 'anything') return verb.run(ctx, args, '');
  const typed = flagText(args, 'incident')?.replace(/^#/, '').trim();
  if (typed && !picked && !(await isThere(deps, typed))) {
    return ctx.reject(`There is no incident ${toMrkdwn(typed, 40)}. \`/incident list\` shows them all.`);
  }
  const place = { teamId: actor.teamId, channelId: location.channelId };
  const here = picked || typed ? [] : await incidentsHere(deps, place, now);
  await deps.channels.recordTyped(location.channelId);
  const named = line && !picked && !typed ? await readNamed(ctx, line, here[0]?.incidentID) : undefined;
  if (named === 'asked') return;
  if (!named?.incidentID && here.length > 1) {
    const { draft } = ctx;
    if (draft?.kind !== 'command') throw new Error('A command keeps its line');
    const says = `This channel has ${here.length} active incidents. Which one do you mean with \`/${verb.noun} ${verb.verb}\`?`;
    const toOption = (each: IncidentHere) => ({ label: incidentOption(each), draft, incidentID: each.incidentID });
    return askWhich(ctx, says, here.map(toOption));
  }
  const incidentID = named?.incidentID || picked || typed || here[0]?.incidentID;
  if (!incidentID) return offerIncidents(ctx, verb);
  if (verb.needsRegistered && isProvisional(await toCurrentID(deps, incidentID))) throw notYet();
  await verb.run(ctx, named?.args ?? args, incidentID);
}

/** `/incident` alone: the incident of this channel, or the ways to one. */
async function showHere(ctx: Context, verb: Verb, args: Args, picked: string): Promise<void> {
  const here = await ctx.deps.rooms.allOfChannel(ctx.actor.teamId, ctx.location.channelId, ctx.now);
  if (picked || here.length > 0) return runVerb(ctx, verb, args, picked);
  const toStart = (label: string, text: string): Choice => ({
    label,
    draft: { kind: 'command', root: umbrella, text },
  });
  await askWhich(ctx, 'This channel has no incident.', [
    toStart('Declare an incident', 'declare'),
    toStart('Recent incidents', 'list'),
    toStart('Help', 'help'),
  ]);
}

/** The place of a person who types: whether the channel has an incident, and its state. */
type Here = 'none' | 'active' | 'resolved';

const titles: Readonly<Record<Here, string>> = {
  none: '*This channel has no incident.*',
  active: '*This incident is active.*',
  resolved: '*This incident is resolved.*',
};

async function readHere({ deps, actor, location, now }: Context): Promise<Here> {
  const rooms = await deps.rooms.allOfChannel(actor.teamId, location.channelId, now);
  const snapshots = await Promise.all(rooms.map(each => deps.snapshots.get(each.incidentID)));
  const isOver = snapshots.length > 0 && snapshots.every(each => each?.summary.status === 'resolved');
  return rooms.length === 0 ? 'none' : isOver ? 'resolved' : 'active';
}

/** Answers with the words for this person in this channel now. It reads the bot's own database alone, so that it works while the API is away. */
async function helpHere(ctx: Context, verbs: readonly Verb[]): Promise<void> {
  const here = await readHere(ctx);
  const isReader = whyNot(ctx.actor) !== undefined;
  const fits = ({ about, grave, reads, meansResolved }: Verb) => {
    if (isReader && !reads) return false;
    if (here === 'resolved') return about === undefined && (meansResolved || !grave);
    return !meansResolved && (here === 'none' || about === undefined);
  };
  const below = isReader ? 'You can look here, and a full member can change things.' : '';
  await ctx.answer(learnedWords(titles[here], verbs.filter(fits), { below, isHere: here !== 'none' }));
}

/** A command line that names an incident behind its verb. */
interface NamingLine {
  readonly draft: CommandLine;
  readonly named: NamedIncident;
  readonly argumentKind: ArgumentKind | undefined;
  readonly ends: boolean;
  /** The verb's arguments when the line is read so. */
  toArgs(reading: Reading): Args | undefined;
  readonly declare: Verb;
}

/**
 * The incident that a line names, and the arguments then; undefined when the word is text. `asked` means that the person was
 * asked, and the command ends. `here` is the channel's own incident.
 */
async function readNamed(
  ctx: Context,
  line: NamingLine,
  here: string | undefined,
): Promise<{ readonly incidentID: string; readonly args: Args | undefined } | 'asked' | undefined> {
  const { reference, isCertain, isBare, isAhead, apart } = line.named;
  const asText = choice(line, await textHere(ctx, line), isAhead ? undefined : here);
  const [named, ...others] = await incidentsNamed(ctx, line.named);
  const incidentID = named?.incidentID ?? '';
  if (named && others.length > 0) {
    const all = [named, ...others];
    const question = `${nameOf(reference)} has ${all.length} active incidents, so nothing was done yet. Which one do you mean?`;
    const choices = all.map(each => ({ ...choice(line, apart, each.incidentID), label: incidentOption(each) }));
    await askWhich(ctx, question, isCertain ? choices : [...choices, asText]);
    return 'asked';
  }
  if (isCertain) {
    if (incidentID !== '') return { incidentID, args: line.toArgs(apart) };
    await ctx.reject(`${nameOf(reference)} has no incident. Nothing was done.`);
    return 'asked';
  }
  const hasNoText = (line.toArgs(apart)?.text ?? '') === '';
  if (incidentID === '') return undefined;
  // “Duplicate 2” may be said of the incident here, and of the other.
  if (apart.names && apart.instead !== undefined) {
    await askWhich(ctx, 'Nothing was done yet. Which incident do you mean?', [asText, choice(line, apart, incidentID)]);
    return 'asked';
  }
  // In an incident’s own room people count replicas and nodes. What ends or opens an incident asks all the same.
  const asks = line.argumentKind === 'reason' || line.ends;
  if (isBare && !isAhead && !hasNoText && here !== undefined && !asks) return undefined;
  if (line.argumentKind === 'days' && !isAhead && !hasNoText) return undefined;
  if (!isAhead) {
    if (line.argumentKind === 'prose' && hasNoText && !apart.names) return undefined;
    if (incidentID === here) return hasNoText ? { incidentID, args: line.toArgs(apart) } : undefined;
  }
  const isThere = await exists(ctx, incidentID);
  if (!isThere && !isAhead && mayBeText(line, hasNoText)) return undefined;
  const label = incidentLabel(incidentID);
  if (!isThere) {
    // Of an act on a number alone nothing is left without that incident.
    await askWhich(ctx, `There is no ${label}. Nothing was done.`, apart.names && hasNoText ? [] : [asText]);
    return 'asked';
  }
  await askWhich(ctx, `Do you mean ${label}, or is that part of the text? Nothing was done yet.`, [
    choice(line, apart, incidentID),
    asText,
  ]);
  return 'asked';
}

/** The line read as a text: in a room with a live incident it declares no second one. */
async function textHere(ctx: Context, { named, declare }: NamingLine): Promise<Reading> {
  const { whole, isAhead, isCertain } = named;
  if (!isAhead || isCertain) return whole;
  const [text = whole] = await withoutSecond(ctx, { readings: [whole], typed: '', at: whole.from }, declare);
  return text;
}

/** Whether words that name no incident after all may be text. */
function mayBeText({ named, argumentKind, ends }: NamingLine, hasNoText: boolean): boolean {
  if (named.apart.names) return !hasNoText;
  return ['prose', 'reason', 'days'].includes(argumentKind ?? '') || (ends && !hasNoText);
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

/** The incidents that may be meant: none when a channel has none, or none that the person may know. */
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
    // While it is not known whether they may know of them, the channel has none.
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
