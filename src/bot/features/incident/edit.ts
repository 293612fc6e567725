import { z } from 'zod';
import { submitForAlert } from '../../alerts/submit.ts';
import { together } from '../../dispatch/answers/receipts.ts';
import { askWhich, type Choice, mostChoices } from '../../dispatch/command/ask-which.ts';
import { askTimes, readTypedTime, wantsToChange } from '../../dispatch/command/typed-times.ts';
import type { Context, Modal, Performed, PerformOptions } from '../../dispatch/feature/context.ts';
import type { Filled } from '../../dispatch/feature/drafts.ts';
import { type Button, type Feature, pressable } from '../../dispatch/feature/feature.ts';
import {
  checksField,
  defineModal,
  fieldValue,
  fieldValues,
  momentField,
  severityField,
  textField,
} from '../../dispatch/forms/modal.ts';
import { incidentButton, onCard } from '../../dispatch/surfaces/card-buttons.ts';
import type { Args } from '../../grammar/grammar.ts';
import { settingVerbs } from '../../grammar/verb.ts';
import { withoutPolite } from '../../grammar/words.ts';
import { checkMoment, type Moment, moments } from '../../incident/acts/event-times.ts';
import type { IncidentDeps, IntentKind } from '../../incident/acts/intent-kind.ts';
import { readHeadline, readKnown } from '../../incident/acts/read-incident.ts';
import { notYet } from '../../incident/acts/registration.ts';
import { gravest } from '../../incident/board/alert-words.ts';
import { wordsOf } from '../../incident/notes/notes.ts';
import { setSummary, summarySources } from '../../incident/notes/summary.ts';
import { digest } from '../../incident/state/digests.ts';
import { incidentLabel } from '../../incident/state/incident-name.ts';
import { findSeverity, readSeverity, type Settings, unknownSeverity } from '../../incident/state/settings.ts';
import { checkLabels, checkTitle, splitLabels } from '../../incident/state/title-and-labels.ts';
import { isProvisional } from '../../journal/provisional-id.ts';
import { slackLimits } from '../../slack/limits.ts';
import { context, sentence, toMrkdwn, type Words } from '../../text/blocks.ts';
import { fromSeconds, toSlackDate } from '../../text/times.ts';
import { stripControls, toOneLine } from '../../text/words.ts';
import { addLabel, removeLabel, setDrill, setMoment, setSeverity, setTitle } from './intents.ts';

/** One change of an incident: it submits its intent as `how` says. */
type Change = (ctx: Context, how: PerformOptions) => Promise<Performed<unknown>>;

function set<P, R>(intent: IntentKind<P, R>, payload: P): Change {
  return (ctx, how) => ctx.perform(intent, payload, how);
}

/** Makes changes one after the other. The answer has the receipts together, each with its own Undo, and then what is not done. */
async function make(ctx: Context, incidentID: string, all: readonly Change[]): Promise<void> {
  const receipts: Words[] = [];
  const notDone: Performed<unknown>[] = [];
  for (const [at, change] of all.entries()) {
    const step = at === 0 ? {} : { step: String(at) };
    const made = await change(ctx, { incidentID, ...step, hasMore: at < all.length - 1, isPart: true });
    if (made.state === 'done') receipts.push(made.words);
    else notDone.push(made);
  }
  if (receipts.length > 0) await ctx.answer(together(receipts));
  for (const each of notDone) await each.tell();
}

/** The change of a part from what a person gives for it, or a sentence of plain text on what is wrong with that. */
type Read = (incidentID: string, given: string) => Change | string;

const readTitle: Read = (incidentID, given) => {
  const checked = checkTitle(given);
  return 'problem' in checked ? checked.problem : set(setTitle, { incidentID, title: checked.title });
};

const readSummary: Read = (incidentID, given) => {
  const text = stripControls(given).trim();
  if (text === '') return 'Say in a sentence or two what is going on.';
  if (text.length > slackLimits.inputText)
    return `A summary has at most ${slackLimits.inputText} characters, and this one has ${text.length}.`;
  return (ctx, how) => {
    const note = { incidentID, text, eventTime: ctx.now.toISOString(), ...wordsOf(ctx.actor) };
    return ctx.perform(setSummary, { ...note, source: summarySources.set }, how);
  };
};

/** The incident as it was when its form opened. Forms of an earlier version know less of it. */
const Edited = z.object({
  incidentID: z.string(),
  /** RFC 3339; `""` for none. */
  incidentStart: z.string().default(''),
  incidentEnd: z.string().default(''),
  labels: z.array(z.string()).default([]),
  /** The digest of each text and choice. */
  was: z.record(z.string(), z.string()).default({}),
  /** The moment that the field `at` is. */
  moment: z.enum(moments).optional(),
});
type Edited = z.output<typeof Edited>;

const digestOf = (value: Filled[string]) => digest(typeof value === 'string' ? value.trim() : value);

/** The changes of the texts and choices of the form, and the problems with them by field. */
function readFields(filled: Filled, { incidentID, was, labels }: Edited, settings: Settings) {
  const readSeverityField: Read = (_id, given) => {
    const severity = findSeverity(settings.severities, given);
    return severity ? set(setSeverity, { incidentID, severity }) : unknownSeverity(settings, given);
  };
  const isChanged = (id: string) => filled[id] !== undefined && digestOf(filled[id]) !== was[id];
  const all: Change[] = [];
  const problems: Record<string, string> = {};
  for (const [id, read] of Object.entries({ title: readTitle, summary: readSummary, severity: readSeverityField })) {
    const change = isChanged(id) ? read(incidentID, fieldValue(filled, id)) : undefined;
    if (typeof change === 'string') problems[id] = change;
    else if (change) all.push(change);
  }
  const wanted = checkLabels(splitLabels(fieldValue(filled, 'labels')));
  if (isChanged('labels') && 'problem' in wanted) problems.labels = wanted.problem;
  else if (isChanged('labels') && 'labels' in wanted) {
    const added = wanted.labels.filter(label => !labels.includes(label));
    const removed = labels.filter(label => !wanted.labels.includes(label));
    all.push(...added.map(label => set(addLabel, { incidentID, label })));
    all.push(...removed.map(label => set(removeLabel, { incidentID, label })));
  }
  if (isChanged('drill'))
    all.push(set(setDrill, { incidentID, isDrill: fieldValues(filled, 'drill').includes('drill') }));
  return { all, problems };
}

const toMinute = (moment: Date) => Math.floor(moment.getTime() / 60_000);

/** The changes of the times, in the order in which the end is never before the start; and the problems with them by field. */
function readTimes(filled: Filled, { incidentID, moment, ...before }: Edited, now: Date) {
  const problems: Record<string, string> = {};
  const fieldOf = (which: Moment) => (moment === which ? 'at' : which === 'incidentStart' ? 'started' : 'ended');
  // A picker knows no seconds.
  const changed = moments.flatMap(which => {
    const [id, was] = [fieldOf(which), before[which]];
    const picked = fieldValue(filled, id);
    if (filled[id] === undefined) return [];
    if (picked === '') problems[id] = 'Choose a day and a time.';
    const at = fromSeconds(Number(picked));
    return picked === '' || (was !== '' && toMinute(at) === toMinute(new Date(was))) ? [] : [{ id, which, at }];
  });
  const whole = { ...before, ...Object.fromEntries(changed.map(({ which, at }) => [which, at.toISOString()])) };
  const all = changed.flatMap(({ id, which, at }) => {
    // Of two that changed, the end is checked against the start.
    const others = which === 'incidentStart' && changed.length > 1 ? { ...whole, incidentEnd: '' } : whole;
    const checked = checkMoment(which, at, others, now);
    if ('at' in checked) return [{ which, at: checked.at }];
    problems[id] = checked.problem;
    return [];
  });
  const [start] = all;
  // The end is never before the start, also between the two writes (docs/api-rules.md A6).
  const isLater = all.length > 1 && start !== undefined && start.at > new Date(before.incidentEnd);
  const inOrder = isLater ? all.toReversed() : all;
  const toChange = ({ which, at }: (typeof all)[number]) =>
    set(setMoment, { incidentID, moment: which, at: at.toISOString() });
  return { all: inOrder.map(toChange), problems };
}

/** The form that corrects an incident. It has the fields that are filled, and changes those that the person changed. */
const form = defineModal({
  id: 'incident.edit',
  state: Edited as z.ZodType<Edited>,
  view: ({ incidentID }, filled, { settings }) => {
    const has = (id: string) => filled[id] !== undefined;
    return {
      title: 'Edit the incident',
      submit: 'Save',
      blocks: [
        ...(has('title') ? [textField({ id: 'title', label: 'Title' }, filled)] : []),
        ...(has('severity') ? [severityField({ optional: true }, filled, settings)] : []),
        ...(has('summary')
          ? [textField({ id: 'summary', label: 'Summary', multiline: true, optional: true }, filled)]
          : []),
        ...(has('started') ? [momentField({ id: 'started', label: 'Started at' }, filled)] : []),
        ...(has('ended') ? [momentField({ id: 'ended', label: 'Ended at' }, filled)] : []),
        ...(has('at') ? [momentField({ id: 'at', label: 'When?' }, filled)] : []),
        ...(has('labels')
          ? [textField({ id: 'labels', label: 'Labels', hint: 'With commas between them.', optional: true }, filled)]
          : []),
        ...(has('drill')
          ? [
              checksField(
                { id: 'drill', label: 'Drill', optional: true, options: [{ value: 'drill', label: 'It is a drill' }] },
                filled,
              ),
            ]
          : []),
        context(
          `${incidentLabel(incidentID, 'Incident')}, with times in your own time zone. It is private while its channel is: that is in the channel’s settings in Slack.`,
        ),
      ],
    };
  },
  check: (filled, before, { settings, now }) => {
    const [fields, times] = [readFields(filled, before, settings), readTimes(filled, before, now)];
    const problems = { ...fields.problems, ...times.problems };
    return Object.keys(problems).length > 0 ? { problems } : { value: [...fields.all, ...times.all] };
  },
  submit: (ctx, all, { incidentID }) =>
    all.length === 0
      ? ctx.answer(sentence('You changed nothing, so the incident stays as it is.'))
      : make(ctx, incidentID, all),
});

/** Labels in the form, in characters: its state has room for few. */
const mostLabels = 1000;

const toPicked = (time: string) => String(Math.floor(Date.parse(time) / 1000));

/** Opens the form with the incident as it is. `typed` are fields that the person filled in elsewhere. */
async function openForm(ctx: Context, incidentID: string, typed: Filled = {}): Promise<void> {
  const { deps } = ctx;
  const declared = { incidentID, status: '', summary: '', labels: [], incidentStart: '', incidentEnd: '' };
  const incident = isProvisional(incidentID)
    ? { ...(await readHeadline(deps, incidentID)), ...declared }
    : await readKnown(deps, incidentID);
  const { title, severity, isDrill, incidentStart, incidentEnd } = incident;
  const { summary } = await deps.updates.latest(incident);
  const labels = incident.labels.map(each => each.label);
  const all = labels.join(', ');
  // A label with a comma, or too many of them, are none of the form's.
  const hasLabels = all.length <= mostLabels && digest(checkLabels(splitLabels(all))) === digest({ labels });
  const filled: Filled = {
    title,
    severity: findSeverity(deps.settings.severities, severity) ?? '',
    summary: (summary?.text ?? '').slice(0, slackLimits.inputText).toWellFormed(),
    drill: isDrill ? ['drill'] : [],
    ...(hasLabels && incidentStart !== '' ? { labels: all } : {}),
    ...(incidentStart === '' ? {} : { started: toPicked(incidentStart) }),
    ...(incidentEnd === '' ? {} : { ended: toPicked(incidentEnd) }),
  };
  const was = Object.fromEntries(Object.entries(filled).map(([id, value]) => [id, digestOf(value)]));
  const before = { incidentID, incidentStart, incidentEnd, labels: hasLabels ? labels : [], was };
  await ctx.openForm(form, before, { ...filled, ...typed });
}

type Run = (ctx: Context, args: Args, incidentID: string) => Promise<void>;

/** Makes the change that was read of a text, or says why it cannot be made. */
async function makeRead(ctx: Context, incidentID: string, change: Change | string): Promise<void> {
  if (typeof change === 'string') await ctx.reject(`${toMrkdwn(change)} Nothing was changed.`);
  else await make(ctx, incidentID, [change]);
}

const setTypedSummary: Run = (ctx, { text }, incidentID) =>
  wantsToChange(ctx)
    ? openForm(ctx, incidentID, { summary: text })
    : makeRead(ctx, incidentID, readSummary(incidentID, text));

const setTypedSeverity: Run = async (ctx, { rest }, incidentID) => {
  const text = withoutPolite(toOneLine(rest).replace(/^(to|is|=|->|→)\s+/i, ''));
  // `/incident sev 1`: the rank that other tools put behind the word.
  const typed = /^[0-5]\b(?![.:]\d)/.test(text) ? `sev${text}` : text;
  if (typed === '') return openForm(ctx, incidentID);
  const { settings } = ctx.deps;
  const read = readSeverity(settings, typed);
  if (read) {
    const { severity, why: said } = read;
    const note = { incidentID: '', text: said, eventTime: ctx.now.toISOString(), ...wordsOf(ctx.actor) };
    const why = said === '' ? {} : { why: { ...note, source: 'severity' } };
    return make(ctx, incidentID, [set(setSeverity, { incidentID, severity, ...why })]);
  }
  const choices = settings.severities.slice(0, mostChoices).map((name): Choice => {
    const draft = { kind: 'command', root: 'incident', text: `severity ${name}` } as const;
    return { label: name, draft, incidentID };
  });
  await askWhich(ctx, `${toMrkdwn(unknownSeverity(settings, typed), 700)} Nothing was changed.`, choices);
};

/** The severity of the gravest alert of an incident that fires; undefined when the incident is as grave. */
async function severityOfAlerts(deps: IncidentDeps, incidentID: string): Promise<string | undefined> {
  const { severities } = deps.settings;
  const offers = await deps.alerts.ofIncident(incidentID);
  const firing = offers.flatMap(each => each.alerts).filter(each => each.state === 'firing');
  const severity = gravest(firing, { severities });
  const { severity: was } = await readHeadline(deps, incidentID);
  return severities.indexOf(severity) > severities.indexOf(was) ? severity : undefined;
}

const raiseButton = incidentButton({ id: 'incident.raise', label: 'Raise severity' }, async (ctx, incidentID) => {
  const severity = await severityOfAlerts(ctx.deps, incidentID);
  if (severity === undefined)
    return ctx.reject('No alert of this incident that fires is graver than the incident. Nothing was changed.');
  await make(ctx, incidentID, [set(setSeverity, { incidentID, severity })]);
});

const setTypedTime: Run = async (ctx, { verb, text }, incidentID) => {
  if (isProvisional(incidentID)) throw notYet();
  const moment: Moment = verb === 'ended' ? 'incidentEnd' : 'incidentStart';
  const incident = await readKnown(ctx.deps, incidentID);
  // The form of an incident that goes on asks for no end.
  const isNew = moment === 'incidentEnd' && incident.incidentEnd === '';
  if (text === '') return openForm(ctx, incidentID, isNew ? { ended: toPicked(ctx.now.toISOString()) } : {});
  const read = readTypedTime(ctx, moment, text);
  const checked = 'at' in read ? checkMoment(moment, read.at, incident, ctx.now, toSlackDate) : read;
  if ('problem' in checked) return ctx.reject(`${checked.problem} Nothing was changed.`);
  if ('at' in read && (await askTimes(ctx, { times: [read], does: 'Save', incidentID }))) return;
  if (wantsToChange(ctx)) return openForm(ctx, incidentID, { [verb]: toPicked(checked.at.toISOString()) });
  // Of an end, the answer says whether the incident goes on.
  const was = moment === 'incidentStart' || incident.status === 'resolved' ? { was: incident[moment] } : {};
  await make(ctx, incidentID, [set(setMoment, { incidentID, moment, at: checked.at.toISOString(), ...was })]);
};

const setTypedLabels: Run = async (ctx, { verb, text, words: [first = ''] }, incidentID) => {
  const mode = /^(?:(add|set|new)|(remove|rm|delete|drop|del))$/i.exec(text.startsWith(first) ? first : '');
  const hasMode = mode !== null && verb === 'label';
  // Labels without the quotes that people set around several words.
  const quoted = /^["'“”„‘’«»](.*)["'“”„‘’«»]$/;
  const typed = splitLabels(hasMode ? text.slice(first.length) : text);
  const read = checkLabels(typed.map(piece => toOneLine(piece).replace(quoted, '$1')));
  if ('problem' in read) return ctx.reject(`${toMrkdwn(read.problem)} Nothing was changed.`);
  if (read.labels.length === 0) return openForm(ctx, incidentID);
  const intent = verb === 'label' && !mode?.[2] ? addLabel : removeLabel;
  const all = read.labels.map(label => set(intent, { incidentID, label }));
  await make(ctx, incidentID, all);
};

const setTypedDrill: Run = async (ctx, { rest }, incidentID) => {
  const word = toOneLine(rest).toLowerCase();
  const isOn = /^(on|yes|true|1)$/.test(word);
  if (isOn || /^(off|no|false|0|real)$/.test(word))
    return make(ctx, incidentID, [set(setDrill, { incidentID, isDrill: isOn })]);
  await ctx.reject(`“${toMrkdwn(rest, 60)}” is neither \`on\` nor \`off\`, so nothing was changed.`);
};

/** Older words for the parts of an incident, each with what follows it. */
const parts: Readonly<Record<string, Run>> = {
  title: (ctx, { text }, incidentID) => makeRead(ctx, incidentID, readTitle(incidentID, text)),
  summary: setTypedSummary,
  severity: setTypedSeverity,
  started: setTypedTime,
  ended: setTypedTime,
  label: setTypedLabels,
  unlabel: setTypedLabels,
  drill: setTypedDrill,
};

const editButton = incidentButton({ id: 'incident.edit', label: 'Edit' }, openForm);

/** Buttons on messages of earlier versions. */
const gone = [
  ...['severity', 'title', 'summary', 'time', 'times'].map(part =>
    incidentButton({ id: `incident.${part}`, label: 'Edit', isGone: true }, openForm),
  ),
  ...[true, false].map(isDrill =>
    incidentButton(
      { id: isDrill ? 'incident.drill' : 'incident.real', label: 'Drill', isGone: true },
      (ctx, incidentID) => make(ctx, incidentID, [set(setDrill, { incidentID, isDrill })]),
    ),
  ),
];

/** Whether a text is labels of one word each. */
const areLabels = (text: string) =>
  splitLabels(text.replace(/^(?:add|remove) /, '')).every(each => !/\s|^@/.test(each.trim()));

const beforePart = ['set', 'put', 'edit', 'change', 'write'];
const usage = '[20m ago | 14:05 | yesterday 23:50]';

/** Correcting an incident: its title, summary, severity, times and labels, and whether it is a drill. */
export const edit: Feature = {
  verbs: [
    {
      noun: 'incident',
      verb: 'edit',
      leads: true,
      needsNoun: true,
      argumentKind: 'nothing',
      summary:
        'Correct the incident in one form: title, severity, summary, times, labels, drill. Without the form: /incident edit severity critical.',
      words: [
        {
          verb: 'severity',
          aliases: ['sev', 'priority'],
          managed: {
            words: settingVerbs,
            before: 'set put change make raise increase upgrade bump lower reduce downgrade'.split(' '),
            shownBy: 'status',
          },
          argumentKind: 'words',
          usage: '[severity] [why]',
        },
        {
          verb: 'title',
          aliases: ['rename', 'retitle'],
          managed: {
            words: [...settingVerbs, 'rename', 'add', 'new', 'create'],
            before: beforePart,
            shownBy: 'status',
          },
          argumentKind: 'text',
          usage: '[new title]',
        },
        {
          verb: 'summary',
          aliases: ['description', 'tldr'],
          managed: { words: [...settingVerbs, 'add', 'new', 'create', 'write'], before: beforePart, shownBy: 'status' },
          argumentKind: 'text',
          usage: '[what is going on]',
        },
        { verb: 'started', aliases: ['began', 'starttime'], usage },
        { verb: 'ended', aliases: ['endtime'], usage },
        {
          verb: 'label',
          aliases: ['tag'],
          managed: {
            words: ['new', 'create', 'make', 'set', 'put'],
            reads: ['add', 'remove'],
            shownBy: 'status',
            removedBy: 'unlabel',
          },
          argumentKind: 'text',
          plainly: areLabels,
          usage: '[add|remove] <label>[, label…]',
        },
        {
          verb: 'unlabel',
          aliases: ['untag'],
          argumentKind: 'text',
          plainly: areLabels,
          usage: '<label>[, label…]',
        },
        { verb: 'drill', argumentKind: 'words', usage: 'on|off' },
      ],
      run: (ctx, args, incidentID) => {
        const isTime = args.verb === 'started' || args.verb === 'ended';
        const setTyped = args.text === '' && !isTime ? undefined : parts[args.verb];
        return setTyped ? setTyped(ctx, args, incidentID) : openForm(ctx, incidentID);
      },
    },
  ],
  modals: [
    form,
    ...['severity', 'title', 'summary', 'time', 'times'].map(part => ({
      ...form,
      id: `incident.${part}`,
      isGone: true,
    })),
  ] as Modal[],
  buttons: [editButton, raiseButton, ...gone] as Button[],
  intents: [setTitle, setSummary, setSeverity, setMoment, addLabel, removeLabel, setDrill] as IntentKind[],
  alertActs: {
    raise: async (deps, offered) => {
      const { incident_id: incidentID, id } = offered.offer;
      const severity = await severityOfAlerts(deps, incidentID);
      const asked = { offered, key: `${id}/severity/${severity}/${offered.changedAt}`, subject: incidentID };
      if (severity !== undefined) await submitForAlert(deps, setSeverity, { incidentID, severity }, asked);
    },
  },
  onLine: (offers, incidentID) => (offers === 'raise' ? [pressable(raiseButton, { incidentID })] : []),
  onCard: ({ incidentID }) => [onCard('edit', editButton, { incidentID })],
  onOver: ({ incident: { incidentID }, isUnrated }) => [
    pressable(editButton, { incidentID }, { label: isUnrated ? 'Severity and times' : 'Fill in times' }),
  ],
};
