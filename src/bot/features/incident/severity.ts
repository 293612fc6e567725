import { z } from 'zod';
import { askWhich, type Choice, mostChoices } from '../../dispatch/command/ask-which.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import { type Feature, pressable } from '../../dispatch/feature/feature.ts';
import { defineModal, fieldValue, severityField } from '../../dispatch/forms/modal.ts';
import { incidentButton, onCard } from '../../dispatch/surfaces/card-buttons.ts';
import type { Args } from '../../grammar/grammar.ts';
import { settingVerbs } from '../../grammar/verb.ts';
import { withoutPolite } from '../../grammar/words.ts';
import { defineIntent, toConsequence, toUndo, type Undo } from '../../incident/acts/intent-kind.ts';
import { onlyFrom, refuseUnless } from '../../incident/acts/only-from.ts';
import { readKnown } from '../../incident/acts/read-incident.ts';
import { headlined } from '../../incident/lines/headline.ts';
import { addNote } from '../../incident/notes/intents.ts';
import { Note, wordsOf } from '../../incident/notes/notes.ts';
import { incidentLabel } from '../../incident/state/incident-name.ts';
import { findSeverity, readSeverity, type Settings, unknownSeverity } from '../../incident/state/settings.ts';
import { isProvisional } from '../../journal/provisional-id.ts';
import { section, toMrkdwn } from '../../text/blocks.ts';
import { severitySign, signs } from '../../text/signs.ts';
import { toLines, toOneLine } from '../../text/words.ts';

const setSeverity = defineIntent({
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
        fact: `${incidentLabel(incidentID, 'Incident')} is ${shown} already. ${noted || 'Nothing was changed.'}`,
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

const form = defineModal({
  id: 'incident.severity',
  state: z.object({ incidentID: z.string(), title: z.string() }),
  view: ({ incidentID, title }, filled, { settings }) => ({
    title: 'Severity',
    submit: 'Save',
    blocks: [
      ...(title ? [section(`*${incidentLabel(incidentID, 'Incident')}* “${toMrkdwn(title, 200)}”`)] : []),
      severityField({}, filled, settings),
    ],
  }),
  check: (filled, _state, { settings }) => {
    const typed = fieldValue(filled, 'severity');
    const severity = findSeverity(settings.severities, typed);
    return severity ? { value: severity } : { problems: { severity: unknownSeverity(settings, typed) } };
  },
  submit: async (ctx, severity, { incidentID }) => {
    await ctx.carryOut(setSeverity, { incidentID, severity }, { incidentID });
  },
});

async function openForm(ctx: Context, incidentID: string): Promise<void> {
  if (isProvisional(incidentID)) return ctx.openForm(form, { incidentID, title: '' });
  const incident = await readKnown(ctx.deps, incidentID);
  const severity = findSeverity(ctx.deps.settings.severities, incident.severity);
  await ctx.openForm(form, { incidentID, title: incident.title }, severity ? { severity } : {});
}

async function runSeverity(ctx: Context, args: Args, incidentID: string): Promise<void> {
  const text = withoutPolite(toOneLine(args.rest).replace(/^(to|is|=|->|→)\s+/i, ''));
  // `/incident sev 1`: the rank that other tools put behind the word.
  const typed = /^[0-5]\b(?![.:]\d)/.test(text) ? `sev${text}` : text;
  if (typed === '') return openForm(ctx, incidentID);
  const read = readSeverity(ctx.deps.settings, typed);
  if (read) {
    const { severity, why } = read;
    const note = {
      incidentID: '',
      text: why,
      eventTime: ctx.now.toISOString(),
      ...wordsOf(ctx.actor),
      source: 'severity',
    };
    await ctx.carryOut(setSeverity, { incidentID, severity, ...(why === '' ? {} : { why: note }) }, { incidentID });
    return;
  }
  const problem = toMrkdwn(unknownSeverity(ctx.deps.settings, typed), 700);
  const choices = ctx.deps.settings.severities.slice(0, mostChoices).map((name): Choice => {
    const draft = { kind: 'command', root: 'incident', text: `severity ${name}` } as const;
    return { label: name, draft, incidentID };
  });
  await askWhich(ctx, `${problem} Nothing was changed.`, choices);
}

const severityButton = incidentButton({ id: 'incident.severity', label: 'Severity' }, openForm);

/** Setting an incident's severity. */
export const severity: Feature = {
  name: 'severity',
  verbs: [
    {
      noun: 'incident',
      verb: 'severity',
      aliases: ['sev', 'priority'],
      managed: {
        words: settingVerbs,
        before: 'set put change make raise increase upgrade bump lower reduce downgrade'.split(' '),
        shownBy: 'status',
      },
      argumentKind: 'words',
      usage: '[severity] [why]',
      summary: 'Say how bad it is; without a severity, in a form.',
      about: 'incident',
      run: runSeverity,
    },
  ],
  modals: [form],
  buttons: [severityButton],
  intents: [setSeverity],
  // It was not known while the incident went on.
  onOver: ({ incident: { incidentID }, isUnrated }) => (isUnrated ? [pressable(severityButton, { incidentID })] : []),
  onCard: ({ incidentID, status }) =>
    status === 'resolved' ? [] : [onCard('severity', severityButton, { incidentID })],
  operations: {
    'IncidentsService.UpdateSeverity': ['/incident severity', 'form incident.severity', 'button incident.severity'],
  },
};
