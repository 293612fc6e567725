/** The workspace on which a call acts; a token of one workspace names none (docs/slack.md 3). */
export interface TeamArgument {
  readonly team_id?: string;
}

/** The workspaces in which the bot works: the one that has installed it, or those of an organisation. */
export interface Workspaces {
  /** Whether the whole organisation has installed the app. */
  readonly isOrganisation: boolean;
  /** Ids of homes under which an earlier installation in the same organisation stored what it knows. */
  readonly formerHomes: readonly string[];
  /** Whether an id is of one of an organisation's workspaces, as Slack last listed them. */
  has(workspaceId: string): boolean;
  /** A call that reads something of every workspace is made once with each of these. */
  each(): Promise<readonly TeamArgument[]>;
  /** The workspace in which a channel is made: the wanted one if the app is in it, else the one that the settings name, else the first. */
  forChannel(wanted: string): Promise<TeamArgument>;
}

/** A workspace that has installed the app for itself; `enterpriseId` is the organisation that it is part of, `""` for none. */
export function oneWorkspace(enterpriseId = ''): Workspaces {
  return {
    isOrganisation: false,
    formerHomes: enterpriseId === '' ? [] : [enterpriseId],
    has: () => false,
    each: async () => [{}],
    forChannel: async () => ({}),
  };
}
