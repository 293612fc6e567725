import { addMinutes } from 'date-fns/addMinutes';
import { fromUnixTime } from 'date-fns/fromUnixTime';
import { z } from 'zod';
import { ActivityItem } from '../../contract/activity.ts';
import { actions, context, said, section, sentence, type Words } from '../blocks.ts';
import type { Desk } from '../desk.ts';
import { defineButton, type Feature, pressable } from '../feature.ts';
import { type Args, flagText } from '../grammar.ts';
import { typedBack } from '../help.ts';
import { when } from '../incident-card.ts';
import { defineIntent, type Outcome } from '../journal/intent.ts';
import { defineModal, fieldValue, momentField, textField } from '../modal.ts';
import { addNote, findNote, listNotes, maxNote, splitNoteBody } from '../notes.ts';
import { explain } from '../refusal.ts';
import { looksLikeTime, parseTime, toSlackDate } from '../times.ts';
import type { Turn } from '../turn.ts';
import { cap, stripControls } from '../words.ts';

/** Minutes for which a receipt's Undo works. */
const undoMinutes = 10;
/** Notes that a list shows. */
const maxListed = 10;
/** The most characters that a form's text field holds (slack.md 5). */
const maxField = 3000;

const Address = z.object({ incidentID: z.string(), activityItemID: z.string() });
type Address = z.output<typeof Address>;

const removeNote = defineIntent({
  kind: 'note.remove',
  payload: Address.extend({ text: z.string() }),
  result: ActivityItem,
  run: async ({ api, call }, { incidentID, activityItemID }) =>
    (await api.ActivityService.RemoveActivity({ incidentID, activityItemID }, call)).activityItem,
  aim: ({ text, incidentID }) => `remove “${cap(text, 200)}” from the timeline of incident ${incidentID}`,
  done: (_item, { text, incidentID }, repeated) =>
    sentence(
      repeated
        ? `That note is removed already from the timeline of incident ${said(incidentID, 40)}.`
        : `Removed from the timeline of incident ${said(incidentID, 40)}: “${said(text, 300)}”.`,
    ),
});

const rewordNote = defineIntent({
  kind: 'note.reword',
  payload: Address.extend({ body: z.string() }),
  result: ActivityItem,
  run: async ({ api, call }, { incidentID, activityItemID, body }) =>
    (await api.ActivityService.UpdateActivityBody({ incidentID, activityItemID, body }, call)).activityItem,
  aim: ({ body }) => `change the note to “${cap(splitNoteBody(body).text, 200)}”`,
  done: (_item, { body }) => sentence(`The note reads now: “${said(splitNoteBody(body).text, 300)}”.`),
});

const retimeNote = defineIntent({
  kind: 'note.retime',
  payload: Address.extend({ eventTime: z.string() }),
  result: ActivityItem,
  run: async ({ api, call }, { incidentID, activityItemID, eventTime }) =>
    (await api.ActivityService.UpdateActivityEventTime({ incidentID, activityItemID, eventTime }, call)).activityItem,
  aim: ({ eventTime }) => `move the note to ${eventTime}`,
  done: (_item, { eventTime }) => sentence(`The note stands at ${when(eventTime)} now.`),
});

/** Takes a note back, shortly after it was added. */
const undo = defineButton({
  id: 'note.undo',
  value: Address.extend({ until: z.string() }),
  run: async (turn, { value }) => {
    if (turn.now > new Date(value.until)) {
      await turn.answer(
        sentence(`Undo works for ${undoMinutes} minutes. \`/note list\` has a button that removes it.`),
      );
      return;
    }
    // Only whoever added the note sees its receipt.
    await remove(turn, value, async () => true);
  },
});

const removeListed = defineButton({
  id: 'note.remove',
  value: Address,
  run: async (turn, { value }) => remove(turn, value),
});

async function remove(turn: Turn, { incidentID, activityItemID }: Address, isTheirs = isOwn): Promise<void> {
  const key = `note.remove/${incidentID}/${activityItemID}`;
  const item = await findOwn(turn, { incidentID, activityItemID }, isTheirs);
  if (typeof item === 'string') {
    await turn.answer(sentence(item));
    return;
  }
  const text = cap(splitNoteBody(item.body).text, 300);
  const payload = { incidentID, activityItemID, text };
  const outcome = await turn.submit(removeNote, payload, { incidentID, key });
  if (outcome.state === 'refused') await turn.answerRefusal(removeNote, payload, outcome);
  else await turn.replace(removeNote.done(outcome.result, payload, outcome.repeated));
}

/** The note, when it is there and this person added it; otherwise a sentence that says which is not so. */
async function findOwn(
  turn: Turn,
  { incidentID, activityItemID }: Address,
  isTheirs = isOwn,
): Promise<ActivityItem | string> {
  const item = await findNote(turn.desk.api, incidentID, each => each.activityItemID === activityItemID);
  if (!item)
    return `That note is no longer on the timeline of incident ${said(incidentID, 40)}: it was removed already.`;
  if (await isTheirs(turn, item)) return item;
  return 'Only the person who added a note changes or removes it. Ask them, or add a note that corrects it.';
}

/** Whether this person added the note: the bot wrote so into it, or the API itself names them. */
async function isOwn({ desk, actor }: Turn, item: ActivityItem): Promise<boolean> {
  const { addedByUser } = item.fieldValues;
  if (typeof addedByUser === 'string') return addedByUser === actor.userId;
  return item.user.userID !== '' && item.user.userID === (await desk.people.toKnown(actor)).userID;
}

/** The note as it was when the form opened: what has not been changed is not written. */
const EditState = Address.extend({ eventTime: z.string(), isText: z.boolean() });

const edit = defineModal({
  id: 'note.edit',
  state: EditState,
  view: ({ isText }, filled) => ({
    title: 'Change a note',
    submit: 'Save',
    blocks: [
      ...(isText
        ? [textField({ id: 'text', label: 'What happened', multiline: true }, filled)]
        : [section('Its words are another person’s, or more than a form holds: here you can move it in time.')]),
      momentField({ id: 'at', label: 'When', hint: 'In your own time zone' }, filled),
    ],
  }),
  check: (filled, { isText }, { now }) => {
    const text = tidy(fieldValue(filled, 'text'));
    const at = Number(fieldValue(filled, 'at'));
    const problems = {
      ...(isText && text === '' ? { text: 'A note needs words. To take it away, press Remove in the list.' } : {}),
      ...(at > 0 ? {} : { at: 'Choose when it happened.' }),
      ...(at > 0 && fromUnixTime(at) > addMinutes(now, 5)
        ? { at: 'That is in the future. Give a time that has passed.' }
        : {}),
    };
    return Object.keys(problems).length > 0 ? { problems } : { value: { text, at } };
  },
  submit: async (turn, { text, at }, state) => {
    const item = await findOwn(turn, state);
    if (typeof item === 'string') {
      await turn.answer(sentence(item));
      return;
    }
    const { incidentID, activityItemID } = state;
    const parts = splitNoteBody(item.body);
    const sentences: string[] = [];
    if (state.isText && text !== parts.text) {
      const body = parts.foot === '' ? text : `${text}\n\n${parts.foot}`;
      const payload = { incidentID, activityItemID, body };
      const outcome = await turn.submit(rewordNote, payload, { incidentID });
      sentences.push(outcomeWords(outcome, rewordNote.done(item, payload, false)));
    }
    if (!isSameMinute(at, state.eventTime)) {
      const payload = { incidentID, activityItemID, eventTime: fromUnixTime(at).toISOString() };
      const outcome = await turn.submit(retimeNote, payload, { incidentID });
      sentences.push(outcomeWords(outcome, retimeNote.done(item, payload, false)));
    }
    await turn.answer(sentence(sentences.join(' ') || 'The note is as it was: you changed nothing.'));
  },
});

function outcomeWords(outcome: Outcome<ActivityItem>, done: Words): string {
  return outcome.state === 'done' ? done.text : `:warning: I could not change the note. ${explain(outcome.error)}`;
}

/** Slack's field holds minutes; a note's time is finer and stays when nobody moved it. */
function isSameMinute(epochSeconds: number, time: string): boolean {
  return Math.floor(epochSeconds / 60) === Math.floor(Date.parse(time) / 60_000);
}

const editListed = defineButton({
  id: 'note.edit',
  value: Address,
  run: async (turn, { value }) => {
    const item = await findOwn(turn, value);
    if (typeof item === 'string') {
      await turn.answer(sentence(item));
      return;
    }
    const { text } = splitNoteBody(item.body);
    const isText = text.length <= maxField && typeof item.fieldValues.saidBy !== 'string';
    const at = Math.floor(Date.parse(item.eventTime) / 1000);
    await turn.openForm(
      edit,
      { ...value, eventTime: item.eventTime, isText },
      { ...(isText ? { text } : {}), at: String(at) },
    );
  },
});

async function runAdd(turn: Turn, args: Args, incidentID: string): Promise<void> {
  const typed = flagText(args, 'at');
  const time = typed === undefined ? undefined : parseTime(typed, { now: turn.now, timeZone: turn.actor.timeZone });
  const text = tidy(await withNames(turn.desk, args.sentence));
  const problem =
    text === ''
      ? 'There are no words to note. `/note add rolled back to v41` puts them on the timeline.'
      : text.length > maxNote
        ? `A note has at most ${maxNote} characters, and this one has ${text.length}. Split it, or link to where the whole is.`
        : time && 'problem' in time
          ? `I noted nothing: ${said(time.problem)}`
          : undefined;
  if (problem) {
    await turn.answer({ text: problem, blocks: [section(problem), ...typedBack(turn.draft)] });
    return;
  }
  const at = time && 'at' in time ? time.at : undefined;
  const note = {
    incidentID,
    text,
    eventTime: (at ?? turn.now).toISOString(),
    saidBy: '',
    addedBy: turn.actor.name,
    addedByUser: turn.actor.userId,
    permalink: '',
    source: 'note',
  };
  const outcome = await turn.submit(addNote, note, { incidentID });
  if (outcome.state === 'refused') {
    await turn.answerRefusal(addNote, note, outcome);
    return;
  }
  const place = `the timeline of incident ${said(incidentID, 40)}${at ? ` at ${toSlackDate(at)}` : ''}`;
  const receipt = outcome.repeated
    ? `That is on ${place} already. Nothing was added twice.`
    : `:memo: Added to ${place}: “${said(text, 300)}”.`;
  const until = addMinutes(turn.now, undoMinutes).toISOString();
  const { activityItemID } = outcome.result;
  await turn.answer({
    text: receipt,
    blocks: [section(receipt), actions([pressable(undo, 'Undo', { incidentID, activityItemID, until })])],
  });
}

/** Slack labels a mention in a command with a name or with nothing; then the name is looked up. Unknown ids stay ids. */
async function withNames(desk: Desk, text: string): Promise<string> {
  const ids = [...new Set([...text.matchAll(/@([UW][A-Z0-9]{7,})\b/g)].map(match => match[1] ?? ''))].slice(0, 20);
  const people = await Promise.all(ids.map(id => desk.people.find(id).catch(() => undefined)));
  return people.reduce<string>(
    (named, person) => (person ? named.replaceAll(`@${person.userId}`, () => `@${person.name}`) : named),
    text,
  );
}

async function runList(turn: Turn, _args: Args, incidentID: string): Promise<void> {
  const notes: ActivityItem[] = [];
  for await (const item of listNotes(turn.desk.api, incidentID)) {
    notes.push(item);
    if (notes.length >= maxListed) break;
  }
  const incident = said(incidentID, 40);
  if (notes.length === 0) {
    await turn.answer(
      sentence(
        `There are no notes on incident ${incident} yet. \`/note add …\` writes one, and *Add to timeline* in a message’s menu records the message.`,
      ),
    );
    return;
  }
  const title = `*The last ${notes.length === 1 ? 'note' : `${notes.length} notes`} on incident ${incident}*, newest first`;
  const rows = await Promise.all(
    notes.map(async item => {
      const { text, foot } = splitNoteBody(item.body);
      const who = foot.slice(2).replace(/: https?:\S+$/, '') || item.user.name || 'somebody unknown';
      const line = `${when(item.eventTime)} ${said(oneLine(text), 140)}\n_${said(oneLine(who), 120)}_`;
      const address = { incidentID, activityItemID: item.activityItemID };
      const buttons = [pressable(editListed, 'Edit', address), pressable(removeListed, 'Remove', address, 'danger')];
      return [section(line), ...((await isOwn(turn, item)) ? [actions(buttons)] : [])];
    }),
  );
  await turn.answer({
    text: title,
    blocks: [section(title), ...rows.flat(), context('You can change the notes that you added.')],
  });
}

function tidy(text: string): string {
  return stripControls(text).trim();
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** Notes in one's own words: added, taken back, listed, corrected in words and time. */
export const note: Feature = {
  name: 'note',
  verbs: [
    {
      noun: 'note',
      verb: 'add',
      aliases: ['write', 'log', 'record', 'post'],
      fallback: true,
      usage: 'text [--at 20m ago]',
      summary: 'Put a note on the incident’s timeline, at the time it speaks of.',
      flags: { at: { kind: 'phrase', fits: looksLikeTime, hint: 'when it happened: 20m ago, 14:05' } },
      about: 'incident',
      run: runAdd,
    },
    {
      noun: 'note',
      verb: 'list',
      aliases: ['show', 'ls', 'view'],
      usage: '',
      summary: 'Show the last ten notes; your own have buttons that change or remove them.',
      reads: true,
      about: 'incident',
      run: runList,
    },
  ],
  modals: [edit],
  buttons: [undo, removeListed, editListed],
  intents: [addNote, removeNote, rewordNote, retimeNote],
};
