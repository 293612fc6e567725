import { z } from 'zod';
import { Incident, maxTitle } from '../../contract/incidents.ts';
import { said, section } from '../blocks.ts';
import type { Feature } from '../feature.ts';
import { type Args, flagList, flagOn, flagText } from '../grammar.ts';
import { typedBack } from '../help.ts';
import { findSeverity, type HouseRules } from '../house.ts';
import { defineIntent } from '../journal/intent.ts';
import type { Filled } from '../memory/drafts.ts';
import {
  checksField,
  choiceField,
  defineModal,
  fieldValue,
  fieldValues,
  momentField,
  textField,
  urlField,
} from '../modal.ts';
import { makeRoom, roomMention } from '../room.ts';
import { fromSeconds, looksLikeTime, parseTime, secondsAfter } from '../times.ts';
import type { Turn } from '../turn.ts';
import { cutMrkdwn, stripControls } from '../words.ts';

/** What a declaration says, checked. `startedAt` is RFC 3339 or `""` for now. */
const Declaration = z.object({
  title: z.string(),
  severity: z.string(),
  labels: z.array(z.string()),
  isDrill: z.boolean(),
  isResolved: z.boolean(),
  startedAt: z.string(),
  attachURL: z.string(),
  attachCaption: z.string(),
  takeCommand: z.boolean(),
  makeChannel: z.boolean(),
  isPrivate: z.boolean(),
  commanderID: z.string(),
  roomPrefix: z.string(),
});
type Declaration = z.output<typeof Declaration>;

const maxLabels = 20;
const maxLabel = 100;
const maxLink = 3000;
/** Most characters of the line above the form: its state has 3,000 in all. */
const maxNotice = 1500;

const declareIncident = defineIntent({
  kind: 'incident.declare',
  payload: Declaration,
  result: z.object({ incident: Incident, troubles: z.array(z.string()) }),
  run: async ({ api, call, log }, wish) => {
    const { incident } = await api.IncidentsService.CreateIncident(
      {
        title: wish.title,
        severity: wish.severity,
        labels: wish.labels.map(label => ({ label })),
        roomPrefix: wish.roomPrefix,
        isDrill: wish.isDrill,
        status: wish.isResolved ? 'resolved' : 'active',
        attachCaption: wish.attachCaption,
        attachURL: wish.attachURL,
      },
      call,
    );
    const incidentID = incident.incidentID;
    const troubles: string[] = [];
    /** The incident exists from here on: what fails now is said, and never makes it look undeclared. */
    const also = async (what: string, work: () => Promise<unknown>) => {
      try {
        await work();
      } catch (error) {
        log.warn({ err: error, incident: incidentID }, 'a part of the declaration failed');
        troubles.push(what);
      }
    };
    if (wish.startedAt) {
      await also('The start time could not be set.', () =>
        api.IncidentsService.UpdateIncidentEventTime(
          { incidentID, activityItemKind: 'incidentStart', eventTime: wish.startedAt },
          call,
        ),
      );
    }
    if (wish.takeCommand) {
      await also('You could not be made commander: `/role assign me commander` tries again.', () =>
        api.IncidentsService.AssignRole({ incidentID, userID: wish.commanderID, role: 'commander' }, call),
      );
    }
    const whole = await api.IncidentsService.GetIncident({ incidentID }, call).catch(() => ({ incident }));
    return { incident: whole.incident, troubles };
  },
  aim: wish => `declare “${wish.title}”`,
  done: ({ incident }, _wish, repeated) => {
    const text = repeated
      ? `Incident ${incident.incidentID} is declared already: “${said(incident.title)}”. Nothing was declared twice.`
      : `:rotating_light: Incident ${incident.incidentID} is declared${incident.isDrill ? ' (a drill)' : ''}: “${said(incident.title)}”, severity ${said(incident.severity, 60)}.`;
    return { text, blocks: [section(text)] };
  },
  follow: async (aftermath, { incident, troubles }, wish) => {
    if (aftermath.repeated) {
      const where = roomMention(await aftermath.desk.rooms.ofIncident(incident.incidentID));
      return { notes: where ? [`It is handled in ${where}.`] : [], troubles: [] };
    }
    const made = await makeRoom(aftermath, incident, {
      makeChannel: wish.makeChannel,
      isPrivate: wish.isPrivate,
      invite: [aftermath.actor.userId],
    });
    const where = roomMention(made.room);
    return {
      notes: where ? [`${where} is its channel, and you are invited.`] : [],
      troubles: [...troubles, ...made.troubles],
    };
  },
});

/** Where the form came from: a line on what of the command could not be read. */
const FormState = z.object({ notice: z.string() });

const form = defineModal({
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
  submit: async (turn, wish) => declareAs(turn, wish),
});

/** What somebody wants to declare, not yet checked. */
interface Wish {
  readonly title: string;
  readonly severity: string;
  readonly labels: readonly string[];
  readonly startedAt: Date | undefined;
  readonly link: string;
  readonly caption: string;
  readonly options: readonly string[];
}

/** The declaration, or what is wrong with it by field id. The limits are those of api-behaviour.md A6. */
function checkDeclaration(
  house: HouseRules,
  now: Date,
  wish: Wish,
): { value: Declaration } | { problems: Record<string, string> } {
  const problems: Record<string, string> = {};
  const title = oneLine(wish.title);
  if (title === '') problems.title = 'Say in a few words what is happening.';
  if (title.length > maxTitle) {
    problems.title = `A title has at most ${maxTitle} characters, and this one has ${title.length}. Put the rest in a note.`;
  }
  const severity = findSeverity(house, wish.severity || (house.severities[0] ?? ''));
  if (!severity) {
    problems.severity = `“${wish.severity}” is no severity here. There are ${house.severities.join(', ')}.`;
  }
  const labels = [...new Set(wish.labels.map(oneLine).filter(label => label !== ''))];
  if (labels.length > maxLabels) problems.labels = `At most ${maxLabels} labels; these are ${labels.length}.`;
  if (labels.some(label => label.length > maxLabel)) problems.labels = `A label has at most ${maxLabel} characters.`;
  if (wish.startedAt && wish.startedAt > secondsAfter(now, 300)) {
    problems.started = 'That is in the future. Give a time that has passed, or none for now.';
  }
  const link = wish.link.trim();
  if (link !== '' && !isWebAddress(link)) problems.link = notAnAddress;
  if (link.length > maxLink) problems.link = `An address has at most ${maxLink} characters.`;
  const caption = oneLine(wish.caption);
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
      commanderID: '',
      roomPrefix: house.channelPrefix,
    },
  };
}

const notAnAddress = 'That is not a web address. It starts with https://.';

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

function oneLine(text: string): string {
  return stripControls(text).replace(/\s+/g, ' ').trim();
}

async function declareAs(turn: Turn, wish: Declaration): Promise<void> {
  const { userID } = await turn.desk.people.toKnown(turn.actor);
  await turn.carryOut(declareIncident, { ...wish, commanderID: userID });
}

/** What the command says, as the form's fields hold it. */
function toFields(args: Args, startedAt: Date | undefined): Filled {
  const options = [
    'channel',
    ...(flagOn(args, 'private') ? ['private'] : []),
    ...(flagOn(args, 'commander') ? ['commander'] : []),
    ...(flagOn(args, 'drill') ? ['drill'] : []),
    ...(flagOn(args, 'resolved') ? ['resolved'] : []),
  ];
  const typed = {
    title: oneLine(args.sentence),
    labels: flagList(args, 'label').join(', '),
    link: flagText(args, 'link') ?? '',
    caption: flagText(args, 'caption') ?? '',
    started: startedAt ? String(Math.floor(startedAt.getTime() / 1000)) : '',
  };
  const severity = flagText(args, 'severity');
  return { ...typed, options, ...(severity ? { severity } : {}) };
}

async function runDeclare(turn: Turn, args: Args): Promise<void> {
  const { house } = turn.desk;
  const started = flagText(args, 'started');
  const time = started ? parseTime(started, { now: turn.now, timeZone: turn.actor.timeZone }) : undefined;
  const filled = toFields(args, time && 'at' in time ? time.at : undefined);
  const typedSeverity = flagText(args, 'severity') ?? '';
  const severity = findSeverity(house, typedSeverity);
  const notices = [
    ...(time && 'problem' in time ? [said(time.problem)] : []),
    ...(typedSeverity && !severity
      ? [
          `“${said(typedSeverity, 60)}” is no severity here. There are ${house.severities.map(each => said(each, 60)).join(', ')}.`,
        ]
      : []),
  ];
  if (!flagOn(args, 'now')) {
    const link = flagText(args, 'link') ?? '';
    if (link !== '' && !isWebAddress(link)) notices.push(`“${said(link, 100)}” is left out. ${notAnAddress}`);
    await turn.openForm(
      form,
      { notice: cutMrkdwn(notices.join(' '), maxNotice) },
      { ...filled, ...(severity ? { severity } : {}) },
    );
    return;
  }
  const checked = form.check(filled, { notice: '' }, { house, now: turn.now });
  const problems = [
    ...notices,
    ...('problems' in checked ? Object.values(checked.problems).map(each => said(each)) : []),
  ];
  if ('problems' in checked || notices.length > 0) {
    const text = `I did not declare anything. ${[...new Set(problems)].join(' ')}`;
    await turn.answer({ text, blocks: [section(text), ...typedBack(turn.draft)] });
    return;
  }
  await declareAs(turn, checked.value);
}

/** Declaring an incident: by form, at once with `--now`, or from the shortcuts menu. */
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
        resolved: { kind: 'switch', hint: 'records one that is over already' },
        started: {
          kind: 'phrase',
          aliases: ['start', 'since'],
          fits: looksLikeTime,
          hint: 'when it began: 20m ago, 14:05',
        },
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
      run: turn => turn.openForm(form, { notice: '' }),
    },
  ],
  intents: [declareIncident],
};
