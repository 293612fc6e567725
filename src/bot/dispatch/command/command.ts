import type { Reading } from '../../grammar/choices.ts';
import { type Args, flagText, type Parsed, parseCommand } from '../../grammar/grammar.ts';
import { umbrella } from '../../grammar/vocabulary.ts';
import { type IncidentHere, incidentsHere } from '../../incident/acts/incidents-here.ts';
import { isThere } from '../../incident/acts/read-incident.ts';
import { notYet, toCurrentID } from '../../incident/acts/registration.ts';
import { isProvisional } from '../../journal/provisional-id.ts';
import { whyNot, whyNotRead } from '../../people/access.ts';
import { asksForOwn } from '../../people/mentions.ts';
import type { Person } from '../../people/person.ts';
import { actions, section, sentence, toMrkdwn, type Words } from '../../text/blocks.ts';
import { typedBack } from '../answers/typed-back.ts';
import type { Context } from '../feature/context.ts';
import type { Deps } from '../feature/deps.ts';
import type { CommandDraft } from '../feature/drafts.ts';
import { pressable, type Verb } from '../feature/feature.ts';
import { resumeButton } from '../feature/resume.ts';
import { askWhich, type Choice, incidentOption, readingLabel } from './ask-which.ts';
import { type HelpTopic, unknownVerb } from './help.ts';
import { helpHere } from './help-here.ts';
import { type NamingLine, readNamed } from './named-incident.ts';
import { offerIncidents } from './offer-incidents.ts';

/** What a command line comes to: words about the command itself, or a verb to run. */
export type CommandPlan =
  | { readonly words: Words }
  | {
      readonly run: (ctx: Context) => Promise<void>;
      /** Corrects the effect of an earlier delivery of the message, in place of `run`. False: there is none to correct. */
      readonly correct: (ctx: Context, first: string) => Promise<boolean>;
      /** It only shows something. */
      readonly reads: boolean;
      readonly access: (person: Person) => string | undefined;
    };

type Parse = (line: Omit<CommandDraft, 'kind'>) => Parsed;

/** Makes the planner of command lines. `picked` is the incident that was picked for a command, or `""`. */
export function planCommand(
  deps: Deps,
  verbs: readonly Verb[],
  help: (topic: HelpTopic) => Words,
): (draft: CommandDraft, picked: string) => CommandPlan {
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
        const run = (ctx: Context) => (whyNotRead(ctx.actor) === undefined ? helpHere(ctx) : ctx.answer(help(parsed)));
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
        const choices = parsed.readings.map(reading => toChoice(draft, reading, parse));
        const meant = parsed.readings.filter(reading => reading.from > parsed.at);
        const text = unknownVerb(parsed, meant, { verbs, commandRoot });
        if (choices.length > 0) return asRead(ctx => askWhich(ctx, text, choices));
        return { words: { text, blocks: [section(text), ...typedBack(draft)] } };
      }
      case 'invalid': {
        const problem = `${toMrkdwn(parsed.problem)}\n\`/${parsed.noun} ${parsed.verb} help\` shows how to write it.`;
        return { words: { text: problem, blocks: [section(problem), ...typedBack(draft)] } };
      }
      case 'verb': {
        const verb = find(parsed.noun, parsed.verb);
        const { args, named } = parsed;
        const toArgs = (reading: Reading) => argsOf(parse({ ...draft, as: reading }));
        const line = named && { draft, named, begins: verb.begins, toArgs };
        return {
          run: ctx => runWhole(ctx, verb, args, picked, line),
          correct: async (ctx, first) => (await verb.correct?.(ctx, args, first)) ?? false,
          reads: verb.reads === true,
          access: verb.reads ? whyNotRead : whyNot,
        };
      }
    }
  };
}

/** The arguments of a line that names a verb. */
function argsOf(parsed: Parsed): Args | undefined {
  return parsed.kind === 'verb' ? parsed.args : undefined;
}

function toChoice(draft: CommandDraft, reading: Reading, parse: Parse): Choice {
  const as = { ...draft, as: reading };
  const parsed = parse(as);
  const raw = parsed.kind === 'verb' ? parsed.args.raw : parsed.kind === 'invalid' ? parsed.raw : '';
  return { label: readingLabel(reading, raw), draft: as };
}

/** Runs a verb, and says which words it has no use for. */
async function runWhole(ctx: Context, verb: Verb, args: Args, picked: string, line?: NamingLine): Promise<void> {
  await runVerb(ctx, verb, args, picked, line);
  const { usage, noun } = verb;
  const isUnused = usage === '' || (usage === '[me]' && !asksForOwn(args.sentence));
  // Words of a question are for nobody to record.
  if (!isUnused || args.sentence === '' || args.sentence.endsWith('?')) return;
  const words = `“${toMrkdwn(args.sentence, 2000)}”`;
  await ctx.answer(
    sentence(`\`/${noun} ${verb.verb}\` takes no words, so ${words} is recorded nowhere. \`/note …\` records it.`),
  );
}

/** `line` is the command line where it names an incident behind its verb. */
async function runVerb(ctx: Context, verb: Verb, args: Args, picked: string, line?: NamingLine): Promise<void> {
  const { deps, location, actor, now } = ctx;
  if (verb.about === 'anything') return verb.run(ctx, args);
  const typed = flagText(args, 'incident')?.replace(/^#/, '').trim();
  if (typed && !picked && !(await isThere(deps, typed))) {
    return ctx.reject(`There is no incident ${toMrkdwn(typed, 40)}. \`/incident list\` shows them all.`);
  }
  const place = { teamId: actor.teamId, channelId: location.channelId };
  const here = picked || typed ? [] : await incidentsHere(deps, place, now);
  const named = line && !picked && !typed ? await readNamed(ctx, line, here[0]?.incidentID) : undefined;
  if (named === 'asked') return;
  if (!named?.incidentID && here.length > 1) return askWhichOf(ctx, verb, here);
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

/** Asks which of the channel's active incidents a command is about. */
async function askWhichOf(ctx: Context, verb: Verb, incidents: readonly IncidentHere[]): Promise<void> {
  const text = `This channel has ${incidents.length} active incidents. Which one do you mean with \`/${verb.noun} ${verb.verb}\`?`;
  const draft = ctx.draft && (await ctx.deps.drafts.keep(ctx.actor, ctx.draft, ctx.key, ctx.now));
  const choices = incidents.map(each =>
    pressable(resumeButton, { draft: draft ?? '', incidentID: each.incidentID }, { label: incidentOption(each) }),
  );
  await ctx.answer({
    text,
    blocks: [section(text), ...choices.map(choice => actions([choice])), ...typedBack(ctx.draft)],
  });
}
