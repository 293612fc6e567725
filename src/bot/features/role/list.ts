import type { KnownBlock } from '@slack/types';
import { z } from 'zod';
import type { Incident } from '../../../contract/incidents.ts';
import type { Role } from '../../../contract/roles.ts';
import type { Deps } from '../../dispatch/deps.ts';
import { type ButtonFace, pressable } from '../../dispatch/feature.ts';
import { actions, context, said, section, type Words } from '../../text/blocks.ts';
import { toOneLine } from '../../text/words.ts';
import { type Holder, toMrkdwn } from './intents.ts';
import { chooseRoles, fold } from './names.ts';

const Take = z.object({ incidentID: z.string(), role: z.string(), inList: z.boolean() });
/** `ids` are Slack ids of those named so far. */
const Give = z.object({ incidentID: z.string(), role: z.string(), ids: z.array(z.string()) });

const takes = (id: string): ButtonFace<z.output<typeof Take>> => ({ id, value: Take });
const gives = (id: string): ButtonFace<z.output<typeof Give>> => ({ id, value: Give });

/** The buttons about roles, as they look; what they do is the feature's. `role` may be `""` in the form. */
export const faces = { take: takes('role.take'), give: gives('role.give'), form: gives('role.form') } as const;

/** Roles shown at most: a message has 50 blocks (docs/slack.md 5), and organisations a handful of roles (docs/api-rules.md A8). */
const maxShown = 40;

/** Who holds which role in an incident, in the order they were given. */
export async function readHolders(
  deps: Deps,
  incident: Incident,
): Promise<readonly { readonly role: string; readonly holder: Holder }[]> {
  return Promise.all(
    incident.incidentMembership.assignments.map(async ({ user, role }) => {
      const slackUserID = await deps.people.toSlackId(user.userID);
      return { role: role.name, holder: { userID: user.userID, slackUserID, name: user.name || user.userID } };
    }),
  );
}

/** Those who hold a role in an incident. */
export async function holdersOf(deps: Deps, incident: Incident, role: string): Promise<readonly Holder[]> {
  const all = await readHolders(deps, incident);
  return all.filter(each => fold(each.role) === fold(role)).map(each => each.holder);
}

/** The roles that can be given, and those that are held although they no longer can be. */
export async function listRoles(deps: Deps, incident: Incident, now: Date): Promise<readonly Role[]> {
  const { roles } = await chooseRoles(deps.api, now);
  const listed = new Map(roles.filter(role => !role.archived).map(role => [fold(role.name), role]));
  for (const { role } of incident.incidentMembership.assignments) {
    if (!listed.has(fold(role.name))) listed.set(fold(role.name), { ...role, archived: true });
  }
  return [...listed.values()];
}

/** Who holds which role, for one person, under a notice of mrkdwn. Throws an RpcError when it cannot be read. */
export async function roleListWords(deps: Deps, now: Date, incidentID: string, notice = ''): Promise<Words> {
  const { incident } = await deps.api.IncidentsService.GetIncident({ incidentID });
  const roles = await listRoles(deps, incident, now);
  const title = `*Roles of incident ${said(incidentID, 40)}* “${said(incident.title, 100)}”`;
  const rows = await Promise.all(roles.slice(0, maxShown).map(role => roleRow(deps, incident, role)));
  return {
    text: notice || title,
    blocks: [
      ...(notice ? [section(notice)] : []),
      section(title),
      ...rows,
      ...(roles.length > maxShown ? [context(`And ${roles.length - maxShown} more.`)] : []),
      ...(roles.length === 0 ? [section('There are no roles yet. Add roles in the incident API first.')] : []),
      actions([pressable(faces.form, 'Assign role', { incidentID, role: '', ids: [] })]),
    ],
  };
}

async function roleRow(deps: Deps, incident: Incident, role: Role): Promise<KnownBlock> {
  const holders = await holdersOf(deps, incident, role.name);
  const matters = role.mandatory || role.important;
  const who = holders.length > 0 ? holders.map(toMrkdwn).join(', ') : matters ? ':warning: nobody' : 'nobody';
  const archived = role.archived ? ' (archived)' : '';
  const what = role.description ? `\n${said(toOneLine(role.description), 150)}` : '';
  const { incidentID } = incident;
  return section(
    `*${said(role.name, 100)}*${archived}: ${who}${what}`,
    holders.length === 0 && matters && !role.archived
      ? pressable(faces.take, 'Take', { incidentID, role: role.name, inList: true }, 'primary')
      : undefined,
  );
}
