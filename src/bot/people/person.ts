/** Who acts, as Slack's ids: authority is judged by these and never by names (docs/slack.md 8). */
export interface Actor {
  readonly teamId: string;
  readonly userId: string;
  /** Slack's request names another organisation: they act as a stranger, even where a member has that id. */
  readonly isOutside?: true | undefined;
}

/** Where it happens. Absent parts are empty strings: a home tab has no channel, a channel message no thread. */
export interface Location {
  readonly channelId: string;
  readonly threadTs: string;
  /** The workspace in which the person looks at it; absent when Slack does not say. */
  readonly workspaceId?: string | undefined;
  /** The tab of the app on which it happens; absent for a channel. */
  readonly tab?: 'home' | undefined;
}

/** A person in Slack. `""` stands for what is not known of them. */
export interface Person {
  readonly teamId: string;
  readonly userId: string;
  /** Display name. */
  readonly name: string;
  readonly email: string;
  readonly photoURL: string;
  /** IANA name. */
  readonly timeZone: string;
  readonly isGuest: boolean;
  /** An administrator or owner of the workspace, as Slack says. */
  readonly isAdmin: boolean;
  readonly isBot: boolean;
  readonly isDeleted: boolean;
  /** Of another organisation, or of a workspace that has not installed the app; here through a shared channel. */
  readonly isStranger: boolean;
}

/** Slack's id of a person by the name that the journal and the lines have for them, `team/user`; `""` for nobody. */
export function userOf(owner: string): string {
  return owner.split('/').at(-1) ?? '';
}
