import { z } from 'zod';
import { isTransient, RpcError } from '../../contract/errors.ts';
import { defineIntent, type IncidentDeps, toOwner } from '../incident/acts/intent-kind.ts';
import type { PageCall } from '../incident/acts/pagers.ts';
import { readHeadline } from '../incident/acts/read-incident.ts';
import { submitAlone } from '../incident/acts/submit-alone.ts';
import type { Room } from '../incident/state/room-store.ts';
import { toWebUrl } from '../incident/state/settings.ts';
import { isProvisional } from '../journal/provisional-id.ts';
import { toMrkdwn } from '../text/blocks.ts';
import { signs } from '../text/signs.ts';
import { cap, toOneLine } from '../text/words.ts';
import { type OpenPage, sentWords } from './page-store.ts';

/** Most characters of a reason. */
export const maxWhy = 500;

const Page = z.object({
  incidentID: z.string(),
  pager: z.string(),
  why: z.string(),
  /** Slack id of the person who asks for it; `""` for Muster itself. */
  by: z.string(),
  /** The page is not sent where the pager was paged for the incident after this moment (epoch milliseconds); absent: it is, whatever was before. */
  since: z.number().optional(),
});

/** Nothing else waits for a pager that is away. A page and its end keep their order. */
function pageLane(incidentID: string, pager: string): string {
  return `page/${pager}/${incidentID}`;
}

/** Sends a page to a pager: once for each key, since the pager knows it by the id of the intent. */
export const sendPage = defineIntent({
  kind: 'page.send',
  lane: ({ incidentID, pager }) => pageLane(incidentID, pager),
  payload: Page,
  result: z.object({}),
  run: async (context, wanted) => {
    const { incidentID, pager, why, by, since } = wanted;
    const { deps, id, askedAt, signal } = context;
    const actor = by === '' ? '' : toOwner({ teamId: deps.slack.identity.teamId, userId: by });
    // Two people typed it at one moment, or one of them pressed a question that did not know of the other page.
    if (since !== undefined && (await deps.pagers.lastSince(incidentID, { pager, since, except: id })))
      throw new RpcError(
        'failed_precondition',
        `${pager} was paged for it a moment ago. Ask for it again to see that page first`,
        { maybeApplied: false },
      );
    const page = { id, incident_id: incidentID, pager, why, actor, asked_at: askedAt.getTime() };
    const { state } = await deps.pagers.begin(page);
    // An answer was lost: the pager has it, and may have closed it since. Sent once more, it would wake people again.
    if (state !== 'begun' && state !== 'waiting' && state !== 'failed') return {};
    try {
      await deps.pagers.send(pager, await toCall(deps, wanted, { key: id, askedAt }), signal);
    } catch (error) {
      // A process that stops says nothing of the pager.
      if (isTransient(error)) {
        if (error.code !== 'canceled') await deps.pagers.record(id, { state: 'waiting' });
      } else if (error instanceof RpcError) await deps.pagers.record(id, { state: 'failed', trouble: error.message });
      throw error;
    }
    await deps.pagers.record(id, { state: 'sent' });
    return {};
  },
  did: ({ pager, why }, { result, incident, userId }) => ({
    ...{ sign: signs.call, verb: 'page', what: `*${toMrkdwn(pager, 40)}* for ${incident}` },
    room: result ? { words: sentWords(pager, why, userId), isOwnMessage: true } : [],
  }),
  mapTexts: (page, toText) => ({ ...page, why: cap(toText(page.why), maxWhy) }),
  links: ({ pager }) => ({ pager }),
  whileQueued: async () => ({
    notes: [],
    troubles: ['Nobody is paged yet. Reach them in another way if it cannot wait.'],
  }),
});

/**
 * Hands a page that no person asks for to the journal, once for its key. Resolves when it is stored: the caller does not wait for the pager.
 */
export async function submitPage(
  deps: IncidentDeps,
  key: string,
  { incidentID, pager, why }: { readonly incidentID: string; readonly pager: string; readonly why: string },
): Promise<void> {
  const payload = { incidentID, pager, why, by: '' };
  await new Promise<void>((onStored, onFailed) => {
    const lane = pageLane(incidentID, pager);
    submitAlone(deps, sendPage, { key, renews: false, payload, subject: incidentID, lane, onStored }).then(
      () => onStored(),
      onFailed,
    );
  });
}

/** Tells a pager that a page is over. */
export const closePage = defineIntent({
  kind: 'page.close',
  lane: ({ incidentID, pager }) => pageLane(incidentID, pager),
  payload: z.object({ incidentID: z.string(), pager: z.string(), page: z.string() }),
  result: z.object({}),
  run: async ({ deps, signal }, { pager, page }) => {
    try {
      await deps.pagers.close(pager, page, signal);
    } catch (error) {
      if (isTransient(error)) throw error;
      // It will never be closed there, and is not tried again.
      await deps.pagers.record(page, { state: 'resolved' });
      throw error;
    }
    await deps.pagers.record(page, { state: 'resolved' });
    return {};
  },
  did: ({ pager }, { incident }) => ({
    verb: 'tell',
    what: `${toMrkdwn(pager, 40)} that ${incident} is over`,
    room: [],
  }),
});

/** Hands the end of a page to the journal, once. */
export async function submitClose(deps: IncidentDeps, { id, incident_id: incidentID, pager }: OpenPage): Promise<void> {
  const payload = { incidentID, pager, page: id };
  const key = `page/${id}/close`;
  const lane = pageLane(incidentID, pager);
  await submitAlone(deps, closePage, { key, renews: false, payload, subject: incidentID, lane });
}

/** The words of a page that the pager gets. Throws an RpcError where the incident is over. */
export async function toCall(
  deps: IncidentDeps,
  { incidentID, why, by }: z.output<typeof Page>,
  base: { readonly key: string; readonly askedAt: Date },
): Promise<PageCall> {
  const { title, status, overviewURL, incidentType } = await readHeadline(deps, incidentID);
  if (status === 'resolved')
    throw new RpcError('failed_precondition', 'the incident was over before', { maybeApplied: false });
  const room = await deps.rooms.ofIncident(incidentID);
  const inSlack = roomLink(room);
  const subject = { incidentID, ...(incidentType === undefined ? {} : { incidentType }) };
  // While that is not known, it is.
  const isPrivate = await deps.visibility.isPrivate(subject).catch(() => true);
  if (isPrivate)
    return { ...base, title: 'A private incident needs you', why: '', by: '', incidentID: '', links: inSlack };
  const page = toWebUrl(deps.settings, overviewURL);
  return {
    ...base,
    title: toOneLine(title) || 'An incident needs you',
    why: toOneLine(why),
    by: by === '' ? '' : ((await deps.people.find(by).catch(() => undefined))?.name ?? ''),
    incidentID: isProvisional(incidentID) ? '' : incidentID,
    links: [...inSlack, ...(page === '' ? [] : [{ what: 'The incident', url: page }])],
  };
}

/** The channel of an incident, which opens for those who may enter it. */
function roomLink(room: Room | undefined): PageCall['links'] {
  if (!room || room.channelId === '') return [];
  const team = room.teamId.startsWith('T') ? `&team=${room.teamId}` : '';
  return [{ what: 'Its channel in Slack', url: `https://slack.com/app_redirect?channel=${room.channelId}${team}` }];
}
