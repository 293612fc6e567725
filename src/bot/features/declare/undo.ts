import { z } from 'zod';
import { RpcError } from '../../../contract/errors.ts';
import { Incident } from '../../../contract/incidents.ts';
import { defineIntent, type IntentContext } from '../../incident/acts/intent-kind.ts';
import { leftOfMistake, markMistake, mistakeLine } from '../../incident/acts/mistake.ts';
import { changedSince } from '../../incident/acts/only-from.ts';
import { findWritten, listNotes, type Note, writeNote } from '../../incident/notes/notes.ts';
import { incidentLabel, incidentName } from '../../incident/state/incident-name.ts';
import { mistakeName } from '../../incident/state/state-words.ts';
import { sentence, toMrkdwn } from '../../text/blocks.ts';
import { signs } from '../../text/signs.ts';
import { Declaration } from './declaration.ts';

/** How long a declaration can be taken back, in minutes: then others work on it. */
export const takeBackMinutes = 2;

const TakeBack = z.object({
  incidentID: z.string(),
  wish: Declaration.pick({ title: true, severity: true, isDrill: true, declaredBy: true, commanderID: true }),
  /** The notes that came with the declaration. */
  notes: z.number(),
  /** Name of the person who declared it. */
  by: z.string(),
});
type TakeBack = z.output<typeof TakeBack>;

/**
 * Takes a declaration back that was a mistake. The API deletes no incident: it is marked as one by mistake, and its timeline says so. Fails when somebody
 * has built on it since.
 */
export const takeBack = defineIntent({
  kind: 'incident.declare.undo',
  payload: TakeBack,
  result: z.object({
    /** Absent in what an older version stored. */
    incident: Incident.optional(),
  }),
  run: async (context, wanted) => {
    const { api, call, deps, isRetry } = context;
    const { incidentID, wish } = wanted;
    const { incident } = await api.IncidentsService.GetIncident({ incidentID }, call);
    const note = toNote(context, wanted);
    const written = isRetry ? await findWritten(context, note) : undefined;
    if (written === undefined) {
      const declarer = await deps.people.resolveUserID(wish.commanderID, context);
      refuseBuiltUpon(incident, wish, { declarer, hasNotes: await hasNotes(context, wanted) });
      await writeNote(context, note);
    }
    return { incident: await markMistake(context, incident) };
  },
  room: {
    leaves: ({ incident }) => ({ status: 'resolved', ...(incident ? leftOfMistake(incident, '') : {}) }),
    line: (_result, _wish, { by }) => ({ words: mistakeLine(by, ''), isAlone: true }),
  },
  describe: ({ incidentID }) => `take the declaration of ${incidentName(incidentID)} back`,

  answer: {
    receipt: (_result, { incidentID, wish }) =>
      sentence(
        `${signs.undone} ${incidentLabel(incidentID, 'Incident')} is taken back: “${toMrkdwn(wish.title)}”. \`/incident reopen\` opens it again.`,
      ),
  },
});

function toNote({ askedAt }: IntentContext, { incidentID, by }: TakeBack): Note {
  const said = { eventTime: askedAt.toISOString(), saidBy: '', addedBy: by, permalink: '' };
  return { incidentID, text: mistakeName, ...said, source: 'resolution' };
}

/** Whether somebody has noted something since. */
async function hasNotes({ api, call }: IntentContext, { incidentID, notes }: TakeBack): Promise<boolean> {
  let left = notes;
  for await (const { fieldValues } of listNotes(api, incidentID, call)) {
    // That note comes with any person whom nobody knows.
    if (fieldValues.source === 'claim') continue;
    if (left === 0) return true;
    left -= 1;
  }
  return false;
}

/** Throws an RpcError that says how somebody has built on it, when anybody has. */
function refuseBuiltUpon(
  incident: Incident,
  wish: TakeBack['wish'],
  found: { readonly declarer: string; readonly hasNotes: boolean },
): void {
  const { assignments } = incident.incidentMembership;
  const signs: readonly (readonly [boolean, string])[] = [
    [incident.status === 'resolved', 'it is resolved'],
    [incident.taskList.tasks.some(each => !each.immutable), 'it has tasks'],
    [found.hasNotes, 'it has notes on its timeline'],
    [assignments.some(({ user }) => user.userID !== found.declarer), 'somebody else has a role'],
    [incident.title !== wish.title, 'it was renamed'],
    [incident.severity.toLowerCase() !== wish.severity.toLowerCase(), 'its severity was changed'],
  ];
  const [, why] = signs.find(([isThere]) => isThere) ?? [];
  if (why === undefined) return;
  throw new RpcError('failed_precondition', `${why}, so somebody is working on it`, {
    reason: changedSince,
    maybeApplied: false,
  });
}
