import { z } from 'zod';
import { maxTitle } from '../../../contract/incidents.ts';
import { Evidence, toEvidence } from '../../alerts/evidence.ts';
import type { IncidentDeps } from '../../incident/acts/intent-kind.ts';
import { alertsTitle, gravest } from '../../incident/board/alert-words.ts';
import { Claimed } from '../../incident/notes/claim.ts';
import { MessageNote, mapNoteTexts } from '../../incident/notes/message-note.ts';
import { Note } from '../../incident/notes/notes.ts';
import type { Offered } from '../../incident/state/alert-store.ts';
import { maxLabel } from '../../incident/state/title-and-labels.ts';
import { cap } from '../../text/words.ts';

/** The person who declares, the place, and the words that come with it. */
const Circumstances = z.object({
  /** The person who declares it: their id in the API (`commanderID`) and in Slack (`declaredBy`, of `teamId`). */
  commanderID: z.string(),
  declaredBy: z.string(),
  /** Their name. Absent in what an older version stored. */
  declarerName: z.string().default(''),
  claimed: Claimed.optional(),
  /** RFC 3339. */
  declaredAt: z.string(),
  teamId: z.string(),
  /** The workspace in which it is declared; `""` when Slack does not say. */
  workspaceId: z.string().default(''),
  /** Where it is declared; `""` for nowhere in particular. */
  channelId: z.string(),
  /** The message from which it was declared, without an incident. It becomes the first note. */
  quote: MessageNote.optional(),
  /** The present situation, without an incident. It becomes the summary. */
  summary: Note.optional(),
  /** Further facts, without an incident. They become a note. */
  details: Note.optional(),
  /** The evidence of its alerts, without an incident. It becomes a note. */
  evidence: Evidence.optional(),
});

/** The facts of a declaration, without its person and place. `startedAt` is RFC 3339, or `""` for now. */
const Facts = z.object({
  title: z.string(),
  severity: z.string(),
  labels: z.array(z.string()),
  isDrill: z.boolean(),
  isResolved: z.boolean(),
  startedAt: z.string(),
  /** RFC 3339: when one that is over ended; `""` for now. */
  endedAt: z.string().default(''),
  attachURL: z.string(),
  attachCaption: z.string(),
  takeCommand: z.boolean(),
  makeChannel: z.boolean(),
  isPrivate: z.boolean(),
  roomPrefix: z.string(),
  /** The offer of alerts that it is about; `""` for none. */
  alert: z.string().default(''),
});

/** A checked declaration. */
export const Declaration = Facts.extend(Circumstances.shape);
export type Declaration = z.output<typeof Declaration>;
/** A declaration as a form gives it. `summary` is the present situation, `details` are further facts; `""` for nothing. */
export type DeclarationWish = z.output<typeof Facts> & { readonly details: string; readonly summary: string };

/** The declaration with its texts, and those of the message it quotes, as `change` makes them. */
export function mapTexts(wish: Declaration, change: (text: string) => string): Declaration {
  const { title, labels, attachCaption, attachURL, quote, details, summary } = wish;
  return {
    ...wish,
    title: cap(change(title), maxTitle),
    labels: labels.map(label => cap(change(label), maxLabel)),
    attachCaption: change(attachCaption),
    // An address without a part of it leads nowhere.
    attachURL: change(attachURL) === attachURL ? attachURL : '',
    ...(quote ? { quote: mapNoteTexts(quote, change) } : {}),
    ...(summary ? { summary: { ...summary, text: change(summary.text) } } : {}),
    ...(details ? { details: { ...details, text: change(details.text) } } : {}),
  };
}

/** The key of the declaration of an offer: one offer is one incident, however many people press. */
export function alertKey(offer: string): string {
  return `${offer}/declare`;
}

/** Labels that an incident gets from its alerts, at most. */
const mostLabels = 10;

/** The parts that a declaration takes from its offer of alerts, where its author set nothing else; nothing without an offer. */
export async function readAlertParts(deps: IncidentDeps, wish: DeclarationWish) {
  const offered = wish.alert === '' ? undefined : await deps.alerts.readNewest(wish.alert);
  if (offered === undefined) return {};
  const { labels, link, caption, startedAt } = fromAlerts(offered, deps.settings);
  return {
    evidence: toEvidence(offered, deps.settings),
    ...(wish.labels.length === 0 ? { labels: [...labels] } : {}),
    ...(wish.attachURL === '' ? { attachURL: link, attachCaption: caption } : {}),
    ...(wish.startedAt === '' ? { startedAt } : {}),
  };
}

/** The words of a declaration from an offer's alerts. */
export function fromAlerts(offered: Offered, settings: IncidentDeps['settings']) {
  const { offer, alerts, total } = offered;
  const [first] = alerts;
  const names = settings.alertLabels.get(offer.source) ?? [];
  const labels = alerts.flatMap(({ told }) =>
    names.flatMap(name => (told.labels[name] ? [cap(`${name}:${told.labels[name]}`, maxLabel)] : [])),
  );
  const link = first?.told.links.find(each => each.what !== 'silence' && each.what !== 'runbook');
  return {
    title: alertsTitle(offered),
    severity: gravest(alerts, settings),
    labels: [...new Set(labels)].slice(0, mostLabels),
    summary: total === 1 ? (first?.told.summary ?? '') : '',
    link: link?.url ?? '',
    caption: link ? `${link.what.charAt(0).toUpperCase()}${link.what.slice(1)} of the alert` : '',
    startedAt: first?.told.startedAt ?? '',
  };
}
