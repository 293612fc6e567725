import { actions, section } from '../../text/blocks.ts';
import { typedBack } from '../answers/typed-back.ts';
import type { Context } from '../feature/context.ts';
import { pressable } from '../feature/feature.ts';
import { resumeButton } from '../feature/resume.ts';
import type { CommandPlan } from './command.ts';

const done = 'I had already run that command, so your edit changed nothing.';

/**
 * Answers a person who edited a message that was a command. An edit never runs again: the verb corrects the effect of the first,
 * or the person is offered the new command. `first` is the key of the delivery that brought it.
 */
export async function answerEdit(ctx: Context, plan: CommandPlan, first: string): Promise<void> {
  if ('words' in plan) return ctx.reject(done);
  if (await plan.correct(ctx, first)) return;
  const draft = ctx.draft && (await ctx.deps.drafts.keep(ctx.actor, ctx.draft, ctx.key, ctx.now));
  const text = `${done} Press the button if you want the new one done too.`;
  const button = pressable(resumeButton, { draft: draft ?? '', incidentID: '' }, { label: 'Run the new one' });
  await ctx.answer({ text, blocks: [section(text), actions([button]), ...typedBack(ctx.draft)] });
}
