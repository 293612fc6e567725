import { actions, section, type Words } from '../../text/blocks.ts';
import { type ButtonFace, menuBlockId, pressable, userMenu } from './feature.ts';

/* Buttons of one feature that others show. */

/** The button that invites people into an incident's channel, as it looks. */
export const inviteFace = { id: 'incident.invite', label: 'Invite' } as const;

/** The menu that invites any person into an incident's channel, as it looks. */
export const invitePickFace = { id: 'incident.invite.pick', label: 'Invite somebody' } as const;

/** Its row. */
export function inviteRow(incidentID: string) {
  return actions([userMenu(invitePickFace)], menuBlockId(invitePickFace, { incidentID }));
}

/** The button that takes a person into an incident's channel, as it looks. */
export const joinFace = { id: 'incident.join', label: 'Join' } as const;

/** The button itself. */
export function wayIn(incidentID: string) {
  return pressable(joinFace, { incidentID });
}

/** The button that hands a person a link of their own to the page of an incident, or, with an empty id, to the list, as it looks. */
export const openPageFace = { id: 'pages.open', label: 'Open page' } as const;

/** The words with the button *Join* below them. */
export function addWayIn(words: Words, incidentID: string): Words {
  return { ...words, blocks: [...(words.blocks ?? [section(words.text)]), actions([wayIn(incidentID)])] };
}

/** The button that ends an incident, as it looks. */
export const resolveFace = { id: 'incident.resolve', label: 'Resolve' } as const;

/** The button that opens the form of a declaration, as it looks. */
export const declareFace = { id: 'incident.declare', label: 'Declare an incident', style: 'primary' } as const;

/** The button that catches a person up on an incident, as it looks. Its value is the incident. */
export const catchUpFace = { id: 'catchup', label: 'Catch me up' } as const;

/** The button itself: everything since the person last looked. */
export function catchUpButton(incidentID: string, face: Partial<ButtonFace> = {}) {
  return pressable(catchUpFace, { incidentID }, face);
}
