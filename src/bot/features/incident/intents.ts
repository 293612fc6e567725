import { z } from 'zod';
import { maxTitle } from '../../../contract/incidents.ts';
import { defineMomentIntent } from '../../incident/acts/event-times.ts';
import { defineIntent, type IntentKind, toConsequence, toUndo, type Undo } from '../../incident/acts/intent-kind.ts';
import { onlyFrom, refuseUnless } from '../../incident/acts/only-from.ts';
import { headlined } from '../../incident/lines/headline.ts';
import { addNote } from '../../incident/notes/intents.ts';
import { Note } from '../../incident/notes/notes.ts';
import { incidentLabel } from '../../incident/state/incident-name.ts';
import type { Settings } from '../../incident/state/settings.ts';
import { maxLabel } from '../../incident/state/title-and-labels.ts';
import { code, toMrkdwn } from '../../text/blocks.ts';
import { nearest } from '../../text/distance.ts';
import { incidentSigns, severitySign, signs } from '../../text/signs.ts';
import { cap, toLines } from '../../text/words.ts';

/** Renames an incident. */
export const setTitle = defineIntent({
  kind: 'incident.title',
  payload: z.object({ incidentID: z.string(), title: z.string(), only: onlyFrom }),
  result: z.object({ title: z.string(), was: z.string() }),
  run: async ({ api, call }, { incidentID, title, only }) => {
    const before = await api.IncidentsService.GetIncident({ incidentID }, call);
    const was = before.incident.title;
    if (was === title) return { title, was };
    refuseUnless(was, only);
    const { incident } = await api.IncidentsService.UpdateTitle({ incidentID, title }, call);
    return { title: incident.title, was };
  },
  did: ({ incidentID, title: wanted }, { result, incident, line }) => {
    const { title, was } = result ?? { title: wanted, was: '' };
    const shown = `“${toMrkdwn(title)}”`;
    if (result && title === was && !line?.isUnsure)
      return { fact: `${incidentLabel(incidentID, 'Incident')} is called ${shown} already.`, isUnchanged: true };
    const before = was === '' || title === was || line ? '' : ` (was “${toMrkdwn(was)}”)`;
    return { sign: signs.changed, verb: 'rename', what: `${incident} to ${shown}${before}` };
  },
  stateChange: ({ title, was }, _wish, isUnsure) => (title !== was || isUnsure ? { title } : undefined),
  undo: ({ title: only, was }, { incidentID }): Undo | undefined =>
    only === was ? undefined : toUndo(setTitle, { incidentID, title: was, only }),
  mapTexts: (change, toText) => ({ ...change, title: cap(toText(change.title), maxTitle) }),
});

/** Says how bad it is, and why where a person said so. */
export const setSeverity = defineIntent({
  kind: 'incident.severity',
  payload: z.object({
    ...{ incidentID: z.string(), severity: z.string(), only: onlyFrom },
    /** Why, as a note without an incident. */
    why: Note.optional(),
  }),
  result: z.object({ severity: z.string(), was: z.string(), title: z.string() }),
  run: async ({ api, call }, { incidentID, severity, only }) => {
    const before = await api.IncidentsService.GetIncident({ incidentID }, call);
    const was = before.incident.severity;
    if (was.toLowerCase() === severity.toLowerCase()) return { severity: was, was, title: before.incident.title };
    refuseUnless(was, only);
    const { incident } = await api.IncidentsService.UpdateSeverity({ incidentID, severity }, call);
    return { severity: incident.severity, was, title: incident.title };
  },
  did: ({ incidentID, severity: wanted, why }, { result, incident, line }) => {
    const { severity, was } = result ?? { severity: wanted, was: '' };
    const shown = toMrkdwn(severity, 60);
    const noted = why ? `${signs.note} Your words are on the timeline.` : '';
    if (result && severity === was && !line?.isUnsure)
      return {
        fact: `${incidentLabel(incidentID, 'Incident')} is ${shown} already.${noted && ` ${noted}`}`,
        isUnchanged: noted === '',
      };
    const before = was === '' || severity === was ? '' : `${toMrkdwn(was, 60)} → `;
    const from = before === '' ? '' : ` (was ${toMrkdwn(was, 60)})`;
    const sign = line && (severitySign(line.settings.severities, severity) || signs.changed);
    const said = why ? toMrkdwn(toLines(why.text), 1000) : '';
    const headline = line && `Severity ${direction(line.settings, was, severity)}: ${before}${shown}`;
    return {
      ...{ sign: signs.done, verb: 'set', what: `the severity of ${incident} to *${shown}*${from}`, more: noted },
      ...(line && sign && headline
        ? { room: { words: headlined({ sign, what: headline, by: line.by, said }), isOwnMessage: true } }
        : {}),
    };
  },
  mapTexts: (change, toText) => ({
    ...change,
    ...(change.why ? { why: { ...change.why, text: toText(change.why.text) } } : {}),
  }),
  consequences: (_result, { incidentID, why }) => (why ? [toConsequence(addNote, { ...why, incidentID }, 'why')] : []),
  stateChange: ({ severity, was }, _wish, isUnsure) => (severity !== was || isUnsure ? { severity } : undefined),
  undo: ({ severity: only, was }, { incidentID }): Undo | undefined =>
    only === was ? undefined : toUndo(setSeverity, { incidentID, severity: was, only }),
});

/** Whether the severity went up or down; `changed` when the team does not know one of the two. */
function direction({ severities }: Settings, was: string, severity: string): 'raised' | 'lowered' | 'changed' {
  const names = severities.map(each => each.toLowerCase());
  const [before, now] = [names.indexOf(was.toLowerCase()), names.indexOf(severity.toLowerCase())];
  if (before < 0 || now < 0 || before === now) return 'changed';
  return now > before ? 'raised' : 'lowered';
}

/** Says when it started or ended. */
export const setMoment = defineMomentIntent('incident.time');

const LabelChange = z.object({ incidentID: z.string(), label: z.string() });
/** `others` are the labels the incident has, for the words. */
const LabelResult = z.object({ label: z.string(), changed: z.boolean(), others: z.array(z.string()) });

type LabelIntent = IntentKind<z.output<typeof LabelChange>, z.output<typeof LabelResult>>;

/** An intent that puts a label on an incident, or takes one off; stored as `kind`. */
function defineLabel(kind: string, isPutOn: boolean): LabelIntent {
  const mapTexts: LabelIntent['mapTexts'] = (change, toText) => ({
    ...change,
    label: cap(toText(change.label), maxLabel),
  });
  return defineIntent({
    kind,
    payload: LabelChange,
    result: LabelResult,
    run: async ({ api, call }, { incidentID, label: typed }) => {
      const before = await api.IncidentsService.GetIncident({ incidentID }, call);
      const others = before.incident.labels.map(each => each.label);
      const near = isPutOn ? undefined : others.find(each => each.toLowerCase() === typed.toLowerCase());
      const label = others.find(each => each === typed) ?? near;
      if ((label !== undefined) === isPutOn) return { label: typed, changed: false, others };
      if (label === undefined) await api.IncidentsService.AddLabel({ incidentID, label: { label: typed } }, call);
      else await api.IncidentsService.RemoveLabel({ incidentID, label }, call);
      return { label: label ?? typed, changed: true, others };
    },
    did: ({ incidentID, label: wanted }, { result, incident, line }) => {
      const shown = code(result?.label ?? wanted, maxLabel);
      const isDone = !result || result.changed || line?.isUnsure;
      if (isDone && isPutOn) return { sign: signs.label, verb: 'add', what: `the label ${shown} to ${incident}` };
      if (isDone) return { sign: signs.label, verb: 'take', what: `the label ${shown} off ${incident}` };
      const name = incidentLabel(incidentID, 'Incident');
      if (isPutOn) return { fact: `${name} is labelled ${shown} already.`, isUnchanged: true };
      const { label, others } = result;
      const near = nearest(label.toLowerCase(), others, each => each.toLowerCase());
      const meant = near ? `Did you mean ${code(near, maxLabel)}? ` : '';
      const all = others.slice(0, 20).map(each => code(each, maxLabel));
      const has = all.length === 0 ? 'It has no labels.' : `It has ${all.join(' ')}.`;
      return { fact: `${name} has no label ${shown}. ${meant}${has}` };
    },
    // A label that is taken off was read before.
    ...(isPutOn ? { mapTexts } : {}),
    stateChange: ({ label, changed }, _wish, isUnsure) =>
      changed || isUnsure ? { label: { name: label, isThere: isPutOn } } : undefined,
    undo: ({ label, changed }, { incidentID }): Undo | undefined =>
      changed ? toUndo(isPutOn ? removeLabel : addLabel, { incidentID, label }) : undefined,
  });
}

/** Puts a label on an incident. */
export const addLabel: LabelIntent = defineLabel('incident.label', true);
/** Takes a label off an incident. */
export const removeLabel: LabelIntent = defineLabel('incident.unlabel', false);

/** Marks an incident as a drill, or as real. */
export const setDrill = defineIntent({
  kind: 'incident.drill',
  payload: z.object({ incidentID: z.string(), isDrill: z.boolean() }),
  result: z.object({ changed: z.boolean() }),
  run: async ({ api, call }, { incidentID, isDrill }) => {
    const before = await api.IncidentsService.GetIncident({ incidentID }, call);
    if (before.incident.isDrill === isDrill) return { changed: false };
    await api.IncidentsService.UpdateIncidentIsDrill({ incidentID, isDrill }, call);
    return { changed: true };
  },
  did: ({ incidentID, isDrill }, { result, incident, line }) => {
    if (result && !result.changed && !line?.isUnsure)
      return {
        fact: `${incidentLabel(incidentID, 'Incident')} is ${isDrill ? 'a drill' : 'real'} already.`,
        isUnchanged: true,
      };
    return {
      ...{ sign: incidentSigns.drill, verb: 'mark', what: `${incident} as ${isDrill ? 'a *drill*' : 'real'}` },
    };
  },
  stateChange: ({ changed }, { isDrill }, isUnsure) => (changed || isUnsure ? { isDrill } : undefined),
  undo: ({ changed }, { incidentID, isDrill }): Undo | undefined =>
    changed ? toUndo(setDrill, { incidentID, isDrill: !isDrill }) : undefined,
});
