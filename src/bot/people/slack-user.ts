import type { Actor, Person } from './person.ts';

/** The members of Slack's user object that are used; all may be missing. */
export interface SlackUser {
  readonly id?: string;
  readonly team_id?: string;
  readonly name?: string;
  readonly tz?: string;
  readonly deleted?: boolean;
  readonly is_bot?: boolean;
  readonly is_admin?: boolean;
  readonly is_owner?: boolean;
  readonly is_restricted?: boolean;
  readonly is_ultra_restricted?: boolean;
  readonly is_stranger?: boolean;
  readonly updated?: number;
  readonly enterprise_user?: { readonly teams?: readonly string[] };
  readonly profile?: {
    readonly display_name?: string;
    readonly real_name?: string;
    readonly email?: string;
    readonly image_72?: string;
  };
}

/** In a grid of workspaces a member of this one counts as of this one, so that rooms and drafts are found again. */
export function toPerson(user: SlackUser, homeTeam: string): Person {
  const teamId = user.team_id ?? homeTeam;
  const isHome = teamId === homeTeam || (user.enterprise_user?.teams ?? []).includes(homeTeam);
  return {
    teamId: isHome ? homeTeam : teamId,
    userId: user.id ?? '',
    name: user.profile?.display_name || user.profile?.real_name || user.name || '',
    email: user.profile?.email ?? '',
    photoURL: user.profile?.image_72 ?? '',
    timeZone: user.tz ?? '',
    isGuest: user.is_restricted === true || user.is_ultra_restricted === true,
    isAdmin: isHome && (user.is_admin === true || user.is_owner === true),
    isBot: user.is_bot === true,
    isDeleted: user.deleted === true,
    isStranger: user.is_stranger === true || !isHome,
  };
}

/**
 * A person of whom only Slack's request is known. They have the fewest rights of anybody who may read at all: those of a guest
 * (docs/decisions.md, Guests and strangers).
 */
export function toUnknown(actor: Actor, homeTeam: string): Person {
  return {
    ...actor,
    name: '',
    email: '',
    photoURL: '',
    timeZone: '',
    isGuest: true,
    isAdmin: false,
    isBot: false,
    isDeleted: false,
    isStranger: actor.teamId !== homeTeam,
  };
}
