import type { KnownBlock } from '@slack/types';
import { z } from 'zod';
import type { Context } from '../../dispatch/feature/context.ts';
import { defineButton, type Feature, pressable } from '../../dispatch/feature/feature.ts';
import type { Finding } from '../../doctor/finding.ts';
import { summarize } from '../../doctor/report.ts';
import { rootNoun } from '../../grammar/verb.ts';
import { whyNot } from '../../people/reach.ts';
import { actions, context, section, sentence, toMrkdwn, type Words } from '../../text/blocks.ts';
import { signs } from '../../text/signs.ts';

/** Failures that one message shows; the command line shows all of them. */
const mostFailures = 30;
/** Lines that share one block: each is a few hundred characters, and a block takes 3,000 (docs/slack.md 5). */
const linesTogether = 5;
/** Blocks with things that cannot be seen. */
const mostUnknown = 8;

const checkAgain = defineButton({
  id: 'doctor.again',
  label: 'I typed them: check again',
  value: z.object({}),
  reads: true,
  run: ctx => report(ctx, true),
});

/** Tells a member how Muster is doing: what fails, what fixes it, and what only they can find out. */
async function report(ctx: Context, typed: boolean): Promise<void> {
  if (whyNot(ctx.actor))
    return ctx.answer(
      sentence('Only full members of this workspace see how Muster is doing. Ask one of them to look.'),
    );
  const words = toWords(await ctx.deps.doctor.examine({ typed }));
  return typed ? ctx.replace(words) : ctx.answer(words);
}

function toWords(findings: readonly Finding[]): Words {
  const of = (state: Finding['state']) => findings.filter(each => each.state === state);
  const [failures, unseen, well] = [of('failing'), of('unknown'), of('ok')];
  const untyped = unseen.filter(each => each.subject.startsWith('command '));
  const unheard = unseen.filter(each => each.subject.startsWith('event '));
  const more = failures.length - mostFailures;
  return {
    text: [summarize(findings), ...failures.map(toFailureText)].join('\n').slice(0, 3000).toWellFormed(),
    blocks: [
      section(`${failures.length === 0 ? signs.done : signs.fails} *${summarize(findings)}*`),
      ...failures.slice(0, mostFailures).map(each => section(`${signs.fails} ${toFailureText(each)}`)),
      ...(more > 0 ? [section(`${more} more fail: \`muster doctor\` in a shell shows all.`)] : []),
      ...toUnknownBlocks(unseen.filter(each => !untyped.includes(each) && !unheard.includes(each))),
      ...toEventBlocks(unheard),
      ...toCommandBlocks(untyped),
      ...(well.length > 0 ? [context(`Well: ${well.map(each => toMrkdwn(each.subject)).join(', ')}.`)] : []),
    ],
  };
}

function toFailureText({ subject, found, stops, fix }: Finding): string {
  const all = (text: string) => toMrkdwn(text, 600);
  return `*${all(subject)}*: ${all(found)}\nStops working: ${all(stops)}.\nDo: ${all(fix)}`;
}

function toUnknownBlocks(unseen: readonly Finding[]): readonly KnownBlock[] {
  const lines = unseen.map(
    each => `${signs.unknown} *${toMrkdwn(each.subject)}*: ${toMrkdwn(each.found)} ${toMrkdwn(each.fix)}`,
  );
  const starts = lines.flatMap((_, at) => (at % linesTogether === 0 ? [at] : []));
  return starts.slice(0, mostUnknown).map(at => section(lines.slice(at, at + linesTogether).join('\n')));
}

/** Events that have not arrived: most are rare, so one block names all of them. */
function toEventBlocks(unheard: readonly Finding[]): readonly KnownBlock[] {
  if (unheard.length === 0) return [];
  const lines = unheard.map(
    ({ subject, stops }) => `• \`${toMrkdwn(subject.replace(/^event /, ''))}\`: ${toMrkdwn(stops)}`,
  );
  const head = `${signs.unknown} These events have not arrived yet. Perhaps nothing of the kind has happened. If it has, the app’s Event Subscriptions lack it, and this does not work:`;
  return [section([head, ...lines].join('\n'))];
}

/** Slack does not tell which app has a command. A person who types it finds out. */
function toCommandBlocks(untyped: readonly Finding[]): readonly KnownBlock[] {
  if (untyped.length === 0) return [];
  const lines = untyped.map(each => `\`${toMrkdwn(each.subject.replace(/^command /, ''))} help\``);
  return [
    section(
      `${signs.unknown} Another app may have taken a command, and only typing it tells. Type each of these once, then press the button: ${lines.join(', ')}`,
    ),
    actions([pressable(checkAgain, {}, { style: 'primary' })]),
  ];
}

/** `/muster doctor`: whether everything works, for members alone. */
export const doctor: Feature = {
  verbs: [
    {
      noun: rootNoun,
      verb: 'doctor',
      summary: 'See whether everything works, and how to fix what does not.',
      about: 'anything',
      reads: true,
      run: ctx => report(ctx, false),
    },
  ],
  buttons: [checkAgain],
};
