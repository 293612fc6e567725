import { z } from 'zod';
import { maxTitle } from '../../../contract/incidents.ts';
import {
  checksField,
  choiceField,
  defineModal,
  fieldValue,
  fieldValues,
  momentField,
  textField,
  urlField,
} from '../../dispatch/modal.ts';
import { findSeverity, type HouseRules } from '../../incident/house-rules.ts';
import { section } from '../../text/blocks.ts';
import { fromSeconds, secondsAfter } from '../../text/times.ts';
import { toOneLine } from '../../text/words.ts';
import { type DeclarationWish, declareAs } from './intents.ts';

const maxLabels = 20;
const maxLabel = 100;
const maxLink = 3000;
/** The form's state: a line on the parts of the command that could not be read. */
const FormState = z.object({ notice: z.string() });

/** The form that declares an incident. Its check serves the command without a form too. */
export const form = defineModal({
  id: 'incident.declare',
  state: FormState,
  view: ({ notice }, filled, { house }) => ({
    title: 'Declare an incident',
    submit: 'Declare',
    blocks: [
      ...(notice ? [section(`:warning: ${notice}`)] : []),
      textField({ id: 'title', label: 'What is happening?', placeholder: 'Checkout answers 500' }, filled),
      choiceField(
        {
          id: 'severity',
          label: 'How bad is it?',
          options: house.severities.map(severity => ({ value: severity, label: severity })),
        },
        { severity: house.severities[0] ?? '', ...filled },
      ),
      checksField(
        {
          id: 'options',
          label: 'Options',
          optional: true,
          options: [
            { value: 'channel', label: 'Make a channel for it' },
            { value: 'private', label: 'Make that channel private', description: 'Not announced anywhere' },
            { value: 'commander', label: 'Make me commander' },
            { value: 'drill', label: 'This is a drill' },
            { value: 'resolved', label: 'It is over already', description: 'Records it as resolved' },
          ],
        },
        { options: ['channel'], ...filled },
      ),
      textField({ id: 'labels', label: 'Labels', optional: true, hint: 'Separated by commas' }, filled),
      momentField({ id: 'started', label: 'Started at', optional: true, hint: 'Empty: now' }, filled),
      urlField({ id: 'link', label: 'Link', optional: true, hint: 'An alert, a graph, a ticket' }, filled),
      textField({ id: 'caption', label: 'Caption of the link', optional: true }, filled),
    ],
  }),
  check: (filled, _state, { house, now }) => {
    const options = fieldValues(filled, 'options');
    const started = fieldValue(filled, 'started');
    return checkDeclaration(house, now, {
      title: fieldValue(filled, 'title'),
      severity: fieldValue(filled, 'severity'),
      labels: fieldValue(filled, 'labels').split(','),
      startedAt: started ? fromSeconds(Number(started)) : undefined,
      link: fieldValue(filled, 'link'),
      caption: fieldValue(filled, 'caption'),
      options,
    });
  },
  submit: declareAs,
});

/** A declaration that is not checked yet. */
interface Wish {
  readonly title: string;
  readonly severity: string;
  readonly labels: readonly string[];
  readonly startedAt: Date | undefined;
  readonly link: string;
  readonly caption: string;
  readonly options: readonly string[];
}

/** The declaration, or what is wrong with it by field id. The limits are those of docs/api-rules.md A6. */
function checkDeclaration(
  house: HouseRules,
  now: Date,
  wish: Wish,
): { value: DeclarationWish } | { problems: Record<string, string> } {
  const problems: Record<string, string> = {};
  const title = toOneLine(wish.title);
  if (title === '') problems.title = 'Say in a few words what is happening.';
  if (title.length > maxTitle) {
    problems.title = `A title has at most ${maxTitle} characters, and this one has ${title.length}. Put the rest in a note.`;
  }
  const severity = findSeverity(house, wish.severity || (house.severities[0] ?? ''));
  if (!severity) {
    problems.severity = `There is no severity “${wish.severity}”. Choose one of ${house.severities.join(', ')}.`;
  }
  const labels = [...new Set(wish.labels.map(toOneLine).filter(label => label !== ''))];
  if (labels.length > maxLabels) problems.labels = `At most ${maxLabels} labels; these are ${labels.length}.`;
  if (labels.some(label => label.length > maxLabel)) problems.labels = `A label has at most ${maxLabel} characters.`;
  if (wish.startedAt && wish.startedAt > secondsAfter(now, 300)) {
    problems.started = 'That is in the future. Give a time that has passed, or none for now.';
  }
  const link = wish.link.trim();
  if (link !== '' && !isWebAddress(link)) problems.link = notAnAddress;
  if (link.length > maxLink) problems.link = `An address has at most ${maxLink} characters.`;
  const caption = toOneLine(wish.caption);
  if (caption.length > maxTitle) problems.caption = `A caption has at most ${maxTitle} characters.`;
  if (!severity || Object.keys(problems).length > 0) return { problems };
  const isPrivate = wish.options.includes('private');
  return {
    value: {
      title,
      severity,
      labels,
      isDrill: wish.options.includes('drill'),
      isResolved: wish.options.includes('resolved'),
      startedAt: wish.startedAt?.toISOString() ?? '',
      attachURL: link,
      attachCaption: caption,
      takeCommand: wish.options.includes('commander'),
      makeChannel: isPrivate || wish.options.includes('channel'),
      isPrivate,
      roomPrefix: house.channelPrefix,
    },
  };
}

/** Says why a link is not taken. */
export const notAnAddress = 'That is not a web address. It starts with https://.';

/** Whether a text is an address of the web. */
export function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
