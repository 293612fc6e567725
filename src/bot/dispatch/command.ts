import { type Args, flagText, parseCommand } from '../grammar/grammar.ts';
import { readRecent } from '../incident/read-incident.ts';
import { notYet, toCurrentID } from '../incident/unregistered.ts';
import { isProvisional } from '../journal/provisional-id.ts';
import { whyNot, whyNotRead } from '../people/access.ts';
import type { Person } from '../people/person.ts';
import { actions, section, toMrkdwn, type Words } from '../text/blocks.ts';
import type { Context } from './context.ts';
import type { Deps } from './deps.ts';
import type { Draft } from './drafts.ts';
import { pressable, type Verb } from './feature.ts';
import { type HelpTopic, typedBack, unknownVerb } from './help.ts';
import { resumeButton } from './resume.ts';

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

/** Incidents that a picker offers. */
const offered = 8;

/** Makes the planner of command lines. `picked` is the incident that was picked for a command, or `""`. */
export function planCommand(
  deps: Deps,
  verbs: readonly Verb[],
  help: (topic: HelpTopic) => Words,
): (root: string, text: string, picked: string) => CommandPlan {
  const { commandRoot } = deps.house;
  return (root, text, picked) => {
    const parsed = parseCommand(verbs, { root, commandRoot, text });
    const draft: Draft = { kind: 'command', root, text };
    switch (parsed.kind) {
      case 'help':
      case 'bare':
        return { words: help(parsed) };
      case 'unknown':
        return { words: unknownVerb(parsed.typed, parsed.noun, parsed.suggestions, commandRoot, draft) };
      case 'invalid': {
        const problem = `${toMrkdwn(parsed.problem)} \`/${parsed.noun} ${parsed.verb} help\` shows how to write it.`;
        return { words: { text: problem, blocks: [section(problem), ...typedBack(draft)] } };
      }
      case 'verb': {
        const verb = verbs.find(each => each.noun === parsed.noun && each.verb === parsed.verb);
        if (!verb) throw new Error(`The grammar knows a verb that no feature has: ${parsed.noun} ${parsed.verb}`);
        return {
          run: ctx => runVerb(ctx, verb, parsed.args, picked),
          correct: async (ctx, first) => (await verb.correct?.(ctx, parsed.args, first)) ?? false,
          reads: verb.reads === true,
          access: verb.reads ? whyNotRead : whyNot,
        };
      }
    }
  };
}

async function runVerb(ctx: Context, verb: Verb, args: Args, picked: string): Promise<void> {
  const { deps, location, actor, now } = ctx;
  if (verb.about === 'anything') return verb.run(ctx, args);
  const typed = flagText(args, 'incident')?.replace(/^#/, '').trim();
  const here = await deps.rooms.ofChannel(actor.teamId, location.channelId, now);
  const incidentID = picked || typed || here?.incidentID;
  if (!incidentID) return offerIncidents(ctx, verb);
  if (verb.needsRegistered && isProvisional(await toCurrentID(deps, incidentID))) throw notYet();
  await verb.run(ctx, args, incidentID);
}

/** Asks which incident a command is about. */
async function offerIncidents(ctx: Context, verb: Verb): Promise<void> {
  const incidents = await readRecent(ctx.deps, offered, 'modifiedTime');
  if (incidents.length === 0) return ctx.reject('There is no incident yet. Declare one with `/incident declare`.');
  const draft = ctx.draft && (await ctx.deps.drafts.keep(ctx.actor, ctx.draft, ctx.key, ctx.now));
  const text = `This channel has no incident. Which one do you mean with \`/${verb.noun} ${verb.verb}\`?`;
  const choices = incidents.map(each =>
    pressable(
      resumeButton,
      { draft: draft ?? '', incidentID: each.incidentID },
      { label: `#${each.incidentID} ${each.status === 'resolved' ? '✓ ' : ''}${each.title}` },
    ),
  );
  await ctx.answer({
    text,
    blocks: [section(text), ...choices.map(choice => actions([choice])), ...typedBack(ctx.draft)],
  });
}
