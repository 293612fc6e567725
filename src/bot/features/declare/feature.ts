import { z } from 'zod';
import { trimEnd } from '../../../trim-end.ts';
import { toEvidence } from '../../alerts/evidence.ts';
import { originOf, submitForAlert } from '../../alerts/submit.ts';
import { OnOffer, readWaitingOffer } from '../../dispatch/answers/waiting-offer.ts';
import { askWhich, type Choice, mostChoices } from '../../dispatch/command/ask-which.ts';
import { askTimes, readTypedTime, type TypedTime, wantsToChange } from '../../dispatch/command/typed-times.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import type { Filled } from '../../dispatch/feature/drafts.ts';
import { declareFace } from '../../dispatch/feature/faces.ts';
import { type Button, defineButton, type Feature, onMessage, pressable } from '../../dispatch/feature/feature.ts';
import { type Args, flagList, flagOn, flagText } from '../../grammar/grammar.ts';
import type { IncidentDeps } from '../../incident/acts/intent-kind.ts';
import { submitAlone } from '../../incident/acts/submit-alone.ts';
import { comesFromPrivate, messageText } from '../../incident/notes/message-note.ts';
import { summarySources } from '../../incident/notes/summary.ts';
import { makeRoom } from '../../incident/room/make.ts';
import type { Offered } from '../../incident/state/alert-store.ts';
import { findSeverity, type Settings, splitSeverity } from '../../incident/state/settings.ts';
import { provisionalID } from '../../journal/provisional-id.ts';
import { actions, toMrkdwn } from '../../text/blocks.ts';
import { timeLength } from '../../text/times.ts';
import { cutMrkdwn, escapeMrkdwn, toOneLine } from '../../text/words.ts';
import { alertKey, type Declaration, fromAlerts } from './declaration.ts';
import { form, moreButton } from './form.ts';
import { declareAs, declareIncident, declareIntents } from './intents.ts';
import { roomSubmission } from './place.ts';

/** Most characters of a title that is taken from a message or an alert. */
const maxTaken = 150;
/** Most characters of an address that is taken so. */
const maxLink = 3000;

/** The beginning of an alert: `[FIRING:1]`, `[Alerting]`, `[P1]`. */
const bracket = /^\s*\[[\p{L}][\p{L}\d _-]{0,20}(?::\s?\d+)?\]\s*/u;

/** A sign before the words: `:rotating_light:`, 🚨. */
const sign = /^\s*(?::[a-z0-9_+-]+:|\p{Extended_Pictographic}\uFE0F?)+\s*/iu;

/** A mark of bold, italic or struck words: one that touches a word and is within none. */
const mark = /(?<![\p{L}\p{N}])[*_~]+(?=\S)|(?<=\S)[*_~]+(?![\p{L}\p{N}])/gu;

/** A web address, as people and tools write it. */
const address = /<(https?:\/\/[^\s<>|]+)(?:\|[^<>]*)?>|https?:\/\/[^\s<>|]+/i;
/** Signs behind an address that are none of it. */
const behindAddress = /[.,;:!?)\]]/;

/**
 * Reads pasted words, such as an alert: the title is their first line, without its signs, bracket, marks and addresses. `link` is an address
 * in them, `rest` the words that the title lacks; `""` for none.
 */
export function readPasted(text: string) {
  const lines = text.split('\n').filter(line => line.trim() !== '');
  const [first = '', ...others] = lines;
  const [found = '', linked = trimEnd(found, behindAddress)] = address.exec(text) ?? [];
  const link = linked.length > maxLink ? '' : linked;
  const words = first.replace(mark, '').replace(sign, '').replace(bracket, '').replace(sign, '');
  const withoutAddress = (each: string) => ` ${each.slice(trimEnd(each, behindAddress).length)}`;
  const bare = toOneLine(words.replaceAll(new RegExp(address, 'gi'), withoutAddress));
  const whole = bare || toOneLine(first);
  const letters = Array.from(whole);
  const title = letters.length <= maxTaken ? whole : `${letters.slice(0, maxTaken - 1).join('')}…`;
  return { title, link, rest: (title === whole ? others : lines).join('\n').trim() };
}

/** Opens the form, filled with the alerts of an offer. */
const declareAlertButton = defineButton({
  id: 'alert.declare',
  label: 'Declare',
  style: 'primary',
  value: OnOffer,
  run: async (ctx, { value: { offer } }) => {
    const offered = await readWaitingOffer(ctx, offer);
    if (!offered) return;
    const { title, severity, summary } = fromAlerts(offered, ctx.deps.settings);
    const filled = { title, severity, summary };
    await ctx.openForm(form, { notice: '', more: false, alert: offer }, filled);
  },
});

/** Declares the incident of an offer in the name of its source, once. While the API is down its room is made. */
async function declareForAlert(deps: IncidentDeps, offered: Offered): Promise<void> {
  const { settings, slack } = deps;
  const { teamId } = slack.identity;
  const { offer } = offered;
  const { title, severity, labels, summary, link, caption, startedAt } = fromAlerts(offered, settings);
  const now = new Date(offer.begun_at).toISOString();
  const note = { incidentID: '', eventTime: now, saidBy: '', addedBy: '', permalink: '' };
  const wish: Declaration = {
    ...{ title, severity, labels: [...labels], isDrill: false, isResolved: false, startedAt, endedAt: '' },
    ...{ attachURL: link, attachCaption: caption, takeCommand: false, makeChannel: true, isPrivate: false },
    ...{ roomPrefix: settings.channelPrefix, commanderID: '', declaredBy: '', declarerName: offer.source },
    ...{ declaredAt: now, teamId, workspaceId: '', channelId: '', alert: offer.id },
    ...(summary === '' ? {} : { summary: { ...note, text: summary, source: summarySources.declared } }),
    evidence: toEvidence(offered, settings),
  };
  const asked = { offered, key: alertKey(offer.id), subject: '' };
  const outcome = await submitForAlert(deps, declareIncident, wish, asked);
  if (outcome.state !== 'queued') return;
  // People meet there while the declaration waits for the API.
  const room = roomSubmission(wish, outcome.id, provisionalID(outcome.id));
  await submitAlone(deps, makeRoom, { ...room, ...originOf(offered) });
}

/** Most characters of the line above the form: its state has 3,000 in all. */
const maxNotice = 1500;
/** Most characters of a sentence on one problem: the one on severities names them all. */
const maxProblem = 700;

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
  // Several lines, or the beginning of an alert, are no title yet.
  const isPasted = bracket.test(args.text) || args.text.trim().includes('\n');
  const pasted = isPasted ? readPasted(args.text) : undefined;
  const named = splitSeverity(settings, pasted?.title ?? toOneLine(args.text));
  const flagged = flagText(args, 'severity');
  const typed = {
    title: flagged === undefined ? named.title : (pasted?.title ?? toOneLine(args.text)),
    details: pasted?.rest ?? '',
    labels: flagList(args, 'label').join(', '),
    // People leave the scheme out, and Slack sends the address as they typed it.
    link: (flagText(args, 'link') ?? pasted?.link ?? '').replace(/^[\w-]+(\.[\w-]+)+([:/?#]\S*)?$/, 'https://$&'),
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
    ...(severity ? { severity: findSeverity(settings.severities, severity) ?? severity } : {}),
  };
}

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
  // `open 2` may mean incident 2, so the form shows first that it is a new one.
  if (!flagOn(args, 'now') || wantsToChange(ctx) || /^#?\d+$/.test(args.text)) {
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
    const state = { notice: cutMrkdwn(all.join(' '), maxNotice), more: false };
    const inForm: Choice = { label: 'Open the form', draft: { kind: 'form', modal: form.id, state, filled } };
    const choices = [...(isSeverityAlone ? severityChoices(ctx, settings) : []), inForm];
    return askWhich(ctx, `I declared nothing: ${all.join(' ')}`, choices);
  }
  if (await askTimes(ctx, { times: times.typed, does: 'Declare', incidentID: '' })) return;
  await declareAs(ctx, checked.value);
}

/** The typed line, once with each severity that there is. */
function severityChoices({ draft }: Context, { severities }: Settings): readonly Choice[] {
  // Behind `--` everything is text.
  if (draft?.kind !== 'command' || /(^|\s)(--|—|–)(\s|$)/.test(draft.text)) return [];
  return severities.slice(0, mostChoices).map(name => ({
    label: name,
    // The last of two flags of the same name counts.
    draft: { ...draft, text: `${draft.text} --severity "${escapeMrkdwn(name)}"` },
  }));
}

const fromMessage = 'declare_message';

const declareButton = defineButton({
  ...declareFace,
  value: z.object({}),
  run: ctx => ctx.openForm(form, { notice: '', more: false }),
});

/** Declaring an incident: by form, at once with `--now`, from the shortcuts menu, or from a message. */
export const declare: Feature = {
  verbs: [
    {
      noun: 'incident',
      verb: 'declare',
      example: '`/incident declare checkout is down` starts an incident',
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
      // Opens the form, filled with the first line of a message. What is said in private is offered as a private incident.
      run: async (ctx, message) => {
        const [text, isPrivate, draft] = await Promise.all([
          messageText(ctx.deps, message),
          comesFromPrivate(ctx.deps, message.channelId),
          ctx.deps.drafts.keep(ctx.actor, { kind: 'message', shortcut: fromMessage, message }, ctx.key, ctx.now),
        ]);
        const { title, link } = readPasted(text);
        const filled = { title, link, ...(isPrivate ? { private: ['private'] } : {}) };
        await ctx.openForm(form, { notice: '', message: { draft, isPrivate }, more: false }, filled);
      },
    }),
  ],
  buttons: [declareButton, declareAlertButton, moreButton] as Button[],
  onAlert: ({ id, state }) => (state === 'open' ? [pressable(declareAlertButton, { offer: id })] : []),
  alertActs: { declare: declareForAlert },
  onHome: async ({ actor }) =>
    actor.isGuest ? [] : [{ place: 'start', blocks: [actions([pressable(declareButton, {})])] }],
  intents: declareIntents,
};
