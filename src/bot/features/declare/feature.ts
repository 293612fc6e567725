import { z } from 'zod';
import { askWhich, type Choice, mostChoices } from '../../dispatch/command/ask-which.ts';
import { askTimes, readTypedTime, type TypedTime, wantsToChange } from '../../dispatch/command/typed-times.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import type { Filled } from '../../dispatch/feature/drafts.ts';
import { type Button, defineButton, type Feature, pressable } from '../../dispatch/feature/feature.ts';
import { onMessage } from '../../dispatch/forms/about-message.ts';
import { declareFace } from '../../dispatch/forms/no-incident.ts';
import { type Args, flagList, flagOn, flagText } from '../../grammar/grammar.ts';
import { comesFromPrivate, messageText } from '../../incident/notes/of-message.ts';
import { findSeverity, type Settings, splitSeverity } from '../../incident/state/settings.ts';
import type { SourceMessage } from '../../slack/source-message.ts';
import { actions, toMrkdwn } from '../../text/blocks.ts';
import { timeLength } from '../../text/times.ts';
import { cutMrkdwn, escapeMrkdwn, toOneLine } from '../../text/words.ts';
import { declareAlertButton, declareForAlert } from './alert-act.ts';
import { form, moreButton } from './form.ts';
import { declareAs, declareIntents } from './intents.ts';
import { inviteButton, inviteMenu, joinButton } from './join.ts';
import { isPasted, readPasted } from './pasted.ts';

/** Most characters of the line above the form: its state has 3,000 in all. */
const maxNotice = 1500;
/** Most characters of a sentence on one problem: the one on severities names them all. */
const maxProblem = 700;

/** A typed address as a browser takes it: people leave the scheme out, and Slack sends it as they typed it. */
function withScheme(typed: string): string {
  return /^[\w-]+(\.[\w-]+)+([:/?#]\S*)?$/.test(typed) ? `https://${typed}` : typed;
}

/** The command's arguments as fields of the form. */
function toFields(args: Args, settings: Settings, { started, ended }: Times): Filled {
  const isOver = flagOn(args, 'resolved') || ended !== undefined;
  const isPrivate = flagOn(args, 'private');
  const where = isPrivate || !isOver || flagOn(args, 'channel') ? 'own' : 'here';
  const options = [
    ...(flagOn(args, 'commander') ? ['commander'] : []),
    ...(flagOn(args, 'drill') ? ['drill'] : []),
    ...(isOver ? ['resolved'] : []),
  ];
  const pasted = isPasted(args.sentence) ? readPasted(args.sentence) : undefined;
  const named = splitSeverity(settings, pasted?.title ?? toOneLine(args.sentence));
  const flagged = flagText(args, 'severity');
  const typed = {
    title: flagged === undefined ? named.title : (pasted?.title ?? toOneLine(args.sentence)),
    details: pasted?.rest ?? '',
    labels: flagList(args, 'label').join(', '),
    link: withScheme(flagText(args, 'link') ?? pasted?.link ?? ''),
    caption: flagText(args, 'caption') ?? '',
    started: toSeconds(started),
    ended: toSeconds(ended),
  };
  const severity = flagged ?? named.severity;
  const secrecy = isPrivate ? { private: ['private'] } : {};
  return {
    ...typed,
    ...secrecy,
    where,
    options,
    ...(severity ? { severity: findSeverity(settings, severity) ?? severity } : {}),
  };
}

/** Moments that were typed. */
interface Times {
  readonly started: Date | undefined;
  readonly ended: Date | undefined;
  readonly typed: readonly TypedTime[];
}

function toSeconds(at: Date | undefined): string {
  return at ? String(Math.floor(at.getTime() / 1000)) : '';
}

/** Reads the moments; `unread` are sentences of mrkdwn on those that cannot be read. */
function readTimes(ctx: Context, args: Args): { times: Times; unread: readonly string[] } {
  const unread: string[] = [];
  const all: TypedTime[] = [];
  const read = (flag: string) => {
    const typed = flagText(args, flag);
    if (!typed) return undefined;
    const time = readTypedTime(ctx, flag, typed);
    if ('problem' in time) {
      unread.push(time.problem);
      return undefined;
    }
    all.push(time);
    return time.at;
  };
  return { times: { started: read('started'), ended: read('ended'), typed: all }, unread };
}

async function runDeclare(ctx: Context, args: Args): Promise<void> {
  const { settings } = ctx.deps;
  const { times, unread } = readTimes(ctx, args);
  const filled = toFields(args, settings, times);
  const checked = form.check(filled, { notice: '', more: false }, { settings, now: ctx.now });
  const problems = 'problems' in checked ? checked.problems : {};
  if (!flagOn(args, 'now') || wantsToChange(ctx)) {
    const { severity, link } = problems;
    const notices = [
      ...unread,
      ...times.typed.map(each => each.doubt).filter(doubt => doubt !== ''),
      ...(severity ? [toMrkdwn(severity, maxProblem)] : []),
      ...(link ? [`“${toMrkdwn(flagText(args, 'link') ?? '', 100)}” is left out. ${toMrkdwn(link)}`] : []),
    ];
    await ctx.openForm(form, { notice: cutMrkdwn(notices.join(' '), maxNotice), more: false }, filled);
    return;
  }
  if ('problems' in checked || unread.length > 0) {
    const all = [...unread, ...Object.values(problems).map(each => toMrkdwn(each, maxProblem))];
    const isSeverityAlone = unread.length === 0 && Object.keys(problems).join() === 'severity';
    const choices = [...(isSeverityAlone ? withSeverity(ctx, settings) : []), inForm(all, filled)];
    return askWhich(ctx, `I declared nothing: ${all.join(' ')}`, choices);
  }
  if (await askTimes(ctx, { times: times.typed, does: 'Declare', incidentID: '' })) return;
  await declareAs(ctx, checked.value);
}

/** The typed line, once with each severity that there is. */
function withSeverity({ draft }: Context, { severities }: Settings): readonly Choice[] {
  // Behind `--` everything is text.
  if (draft?.kind !== 'command' || /(^|\s)(--|—|–)(\s|$)/.test(draft.text)) return [];
  return severities.slice(0, mostChoices).map(name => ({
    label: name,
    // The last of two flags of the same name counts.
    draft: { ...draft, text: `${draft.text} --severity "${escapeMrkdwn(name)}"` },
  }));
}

/** The form, with what was typed and what is wrong with it (mrkdwn). */
function inForm(problems: readonly string[], filled: Filled): Choice {
  const notice = cutMrkdwn(problems.join(' '), maxNotice);
  return { label: 'Open the form', draft: { kind: 'form', modal: form.id, state: { notice, more: false }, filled } };
}

/** Opens the form, filled with the first line of a message. What is said in private is offered as a private incident. */
async function declareFrom(ctx: Context, message: SourceMessage): Promise<void> {
  const [text, isPrivate, draft] = await Promise.all([
    messageText(ctx.deps, message),
    comesFromPrivate(ctx.deps, message.channelId),
    ctx.deps.drafts.keep(ctx.actor, { kind: 'message', shortcut: fromMessage, message }, ctx.key, ctx.now),
  ]);
  const { title, link } = readPasted(text);
  const filled = { title, link, ...(isPrivate ? { private: ['private'] } : {}) };
  await ctx.openForm(form, { notice: '', message: { draft, isPrivate }, more: false }, filled);
}

const fromMessage = 'declare_message';

/** Opens the form that declares an incident. */
const declareButton = defineButton({
  ...declareFace,
  value: z.object({}),
  run: ctx => ctx.openForm(form, { notice: '', more: false }),
});

/** Declaring an incident: by form, at once with `--now`, from the shortcuts menu, or from a message. */
export const declare: Feature = {
  name: 'declare',
  verbs: [
    {
      noun: 'incident',
      verb: 'declare',
      aliases: ['new', 'create', 'open', 'start', 'trigger', 'report', 'raise'],
      usage: '[title] [--severity S] [--drill] [--label L] [--private] [--now]',
      summary: 'Declare an incident: opens a form with what you typed, or skips it with --now.',
      flags: {
        severity: { kind: 'text', aliases: ['sev', 's'], hint: 'how bad it is' },
        drill: { kind: 'switch', aliases: ['test'], hint: 'marks it as a drill' },
        label: { kind: 'list', aliases: ['l', 'tag'], hint: 'a label; can be repeated' },
        private: { kind: 'switch', hint: 'makes a private channel and announces nothing' },
        now: { kind: 'switch', hint: 'declares at once, without the form' },
        commander: { kind: 'switch', aliases: ['lead', 'me'], hint: 'makes you commander' },
        resolved: { kind: 'switch', hint: 'records one that is already over, without a channel or announcement' },
        channel: { kind: 'switch', hint: 'makes a channel, also for one that is over' },
        started: {
          kind: 'phrase',
          aliases: ['start', 'since'],
          length: timeLength,
          hint: 'when it began: 20m ago, 14:05',
        },
        ended: { kind: 'phrase', aliases: ['end', 'until'], length: timeLength, hint: 'when it was over' },
        link: { kind: 'text', aliases: ['url'], hint: 'an alert, a graph, a ticket' },
        caption: { kind: 'text', hint: 'what the link shows' },
      },
      about: 'anything',
      run: runDeclare,
    },
  ],
  modals: [form],
  shortcuts: [
    {
      kind: 'global',
      id: 'declare',
      name: 'Declare incident',
      description: 'Open the form that declares an incident',
      run: ctx => ctx.openForm(form, { notice: '', more: false }),
    },
    onMessage({
      id: fromMessage,
      name: 'Declare from message',
      description: 'Open the form that declares an incident, with this message as its title and first note',
      instead: 'Declare with `/incident declare …`.',
      run: declareFrom,
    }),
  ],
  buttons: [joinButton, inviteButton, inviteMenu, declareButton, declareAlertButton, moreButton] as Button[],
  onAlert: ({ id, state }) => (state === 'open' ? [pressable(declareAlertButton, { offer: id })] : []),
  alertActs: { declare: declareForAlert },
  onHome: async ({ actor }) =>
    actor.isGuest ? [] : [{ place: 'start', blocks: [actions([pressable(declareButton, {})])] }],
  intents: declareIntents,
  operations: {
    'IncidentsService.CreateIncident': [
      '/incident declare',
      'form incident.declare',
      'shortcut declare',
      'button incident.declare',
      'shortcut declare_message',
    ],
    'ActivityService.AddActivity': ['shortcut declare_message'],
  },
};
