import type { KnownBlock } from '@slack/types';
import { z } from 'zod';
import { maxTitle } from '../../../contract/incidents.ts';
import type { Filled } from '../../dispatch/feature/drafts.ts';
import { defineButton, pressable } from '../../dispatch/feature/feature.ts';
import { privateNotice, readNewest } from '../../dispatch/forms/about-message.ts';
import {
  checksField,
  choiceField,
  defineModal,
  fieldValue,
  fieldValues,
  momentField,
  severityField,
  textField,
  updateForm,
  urlField,
} from '../../dispatch/forms/modal.ts';
import { findSeverity, type Settings, unknownSeverity } from '../../incident/state/settings.ts';
import { checkLabels, checkTitle, splitLabels } from '../../incident/state/title-and-labels.ts';
import { actions, callout, context, section } from '../../text/blocks.ts';
import { signs } from '../../text/signs.ts';
import { fromSeconds, isAhead } from '../../text/times.ts';
import { stripControls, toOneLine } from '../../text/words.ts';
import type { DeclarationWish } from './declaration.ts';
import { declareAs } from './intents.ts';

const maxLink = 3000;
/** The form's state: a line on the parts of the command that could not be read; the draft of a message that becomes the first note. */
const FormState = z.object({
  notice: z.string(),
  message: z.object({ draft: z.string(), isPrivate: z.boolean() }).optional(),
  /** The offer of alerts that it is about. */
  alert: z.string().optional(),
  /** The fields that are asked seldom are shown. */
  more: z.boolean().default(false),
});

const places = [
  { value: 'own', label: 'In a channel of its own' },
  { value: 'here', label: 'Without a channel of its own' },
];

const extras = [
  { value: 'commander', label: 'I take command' },
  { value: 'drill', label: 'This is a drill' },
  {
    value: 'resolved',
    label: 'Already over',
    description: 'Record it after the fact. Without a channel it is not announced.',
  },
];

const secrecy = [
  {
    value: 'private',
    label: 'Private',
    description: 'Only the members of its channel see it. It is not announced.',
  },
];

function seldomAsked(filled: Filled): readonly KnownBlock[] {
  return [
    textField({ id: 'details', label: 'First note', optional: true, multiline: true }, filled),
    choiceField({ id: 'where', label: 'Where is it handled?', options: places }, { where: 'own', ...filled }),
    checksField({ id: 'options', label: 'Options', optional: true, options: extras }, filled),
    textField({ id: 'labels', label: 'Labels', optional: true, hint: 'Separated by commas' }, filled),
    momentField({ id: 'started', label: 'Started at', optional: true, hint: 'Empty: now' }, filled),
    momentField(
      { id: 'ended', label: 'Ended at', optional: true, hint: 'For one that is already over. Empty: now' },
      filled,
    ),
    urlField({ id: 'link', label: 'Link', optional: true, hint: 'An alert, a graph, a ticket' }, filled),
    textField({ id: 'caption', label: 'Caption of the link', optional: true }, filled),
  ];
}

/** Whether one of these fields holds something that its reader must see. */
function hasSeldomAsked(filled: Filled): boolean {
  const texts = ['details', 'options', 'labels', 'started', 'ended', 'link', 'caption'];
  return texts.some(id => fieldValues(filled, id).length > 0) || fieldValue(filled, 'where') === 'here';
}

/** Shows the fields that are asked seldom, in the open form. */
export const moreButton = defineButton({
  id: 'incident.declare.more',
  label: 'More options',
  value: z.object({}),
  reads: true,
  run: async (ctx, { form: open }) => {
    const state = FormState.safeParse(open?.state).data;
    if (open && state) await updateForm(ctx, form, open, { ...state, more: true });
  },
});

/** The form that declares an incident. Its check serves the command without a form too. */
export const form = defineModal({
  id: 'incident.declare',
  state: FormState,
  view: ({ notice, message, more }, filled, { settings }) => ({
    title: 'Declare an incident',
    submit: 'Declare',
    blocks: [
      ...(settings.announceChannel
        ? [context(`Everybody in <#${settings.announceChannel}> will see it, unless it is private.`)]
        : []),
      ...(notice ? [callout('warning', notice)] : []),
      ...(message ? [section(`${signs.note} The message becomes the first note.`), ...privateNotice(message)] : []),
      textField({ id: 'title', label: 'Title', placeholder: 'Checkout answers 500' }, filled),
      severityField({}, { severity: settings.severities[0] ?? '', ...filled }, settings),
      textField(
        { id: 'summary', label: 'Summary', optional: true, multiline: true, hint: 'The first thing people read' },
        filled,
      ),
      checksField({ id: 'private', label: 'Who sees it?', optional: true, options: secrecy }, filled),
      ...(more || hasSeldomAsked(filled) ? seldomAsked(filled) : [actions([pressable(moreButton, {})])]),
    ],
  }),
  check: (filled, _state, { settings, now }) => checkDeclaration(filled, settings, now),
  submit: async (ctx, wish, { message, alert = '' }) => {
    const newest = message && (await readNewest(ctx, message.draft));
    if (!message || newest) await declareAs(ctx, { ...wish, alert }, newest?.message);
  },
});

/** The declaration, or what is wrong with it by field id. The limits are those of docs/api-rules.md A6. */
function checkDeclaration(
  filled: Filled,
  settings: Settings,
  now: Date,
): { value: DeclarationWish } | { problems: Record<string, string> } {
  const problems: Record<string, string> = {};
  const title = checkTitle(fieldValue(filled, 'title'));
  if ('problem' in title) problems.title = title.problem;
  const typedSeverity = fieldValue(filled, 'severity') || (settings.severities[0] ?? '');
  const severity = findSeverity(settings.severities, typedSeverity);
  if (!severity) problems.severity = unknownSeverity(settings, typedSeverity);
  const labels = checkLabels(splitLabels(fieldValue(filled, 'labels')));
  if ('problem' in labels) problems.labels = labels.problem;
  const started = fieldValue(filled, 'started');
  const startedAt = started ? fromSeconds(Number(started)) : undefined;
  if (startedAt && isAhead(startedAt, now)) {
    problems.started = 'That is in the future: give a time that has passed, or none for now.';
  }
  const ended = fieldValue(filled, 'ended');
  const endedAt = ended ? fromSeconds(Number(ended)) : undefined;
  const endProblem = endedAt && whyNotEnd(endedAt, startedAt, now);
  if (endProblem) problems.ended = endProblem;
  const link = fieldValue(filled, 'link').trim();
  if (link !== '' && !isWebAddress(link)) problems.link = 'That is not a web address. It starts with https://.';
  if (link.length > maxLink) problems.link = `An address has at most ${maxLink} characters.`;
  const caption = toOneLine(fieldValue(filled, 'caption'));
  if (caption.length > maxTitle) problems.caption = `A caption has at most ${maxTitle} characters.`;
  if ('problem' in title || 'problem' in labels || !severity || Object.keys(problems).length > 0) return { problems };
  const options = fieldValues(filled, 'options');
  const isPrivate = fieldValues(filled, 'private').includes('private');
  return {
    value: {
      title: title.title,
      severity,
      labels: [...labels.labels],
      isDrill: options.includes('drill'),
      isResolved: options.includes('resolved') || endedAt !== undefined,
      startedAt: startedAt?.toISOString() ?? '',
      endedAt: endedAt?.toISOString() ?? '',
      attachURL: link,
      attachCaption: caption,
      summary: stripControls(fieldValue(filled, 'summary')).trim(),
      details: stripControls(fieldValue(filled, 'details')).trim(),
      takeCommand: options.includes('commander'),
      // Only its author would see a private one without a channel.
      makeChannel: isPrivate || fieldValue(filled, 'where') !== 'here',
      isPrivate,
      roomPrefix: settings.channelPrefix,
      alert: '',
    },
  };
}

function whyNotEnd(endedAt: Date, startedAt: Date | undefined, now: Date): string | undefined {
  if (isAhead(endedAt, now)) return 'That is in the future: give a time that has passed, or none for now.';
  if (!startedAt) return 'Say when it started, too.';
  return endedAt < startedAt ? 'That is before it started.' : undefined;
}

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
