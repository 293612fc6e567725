import type { Logger } from 'pino';
import type { WebClient } from './bolt.ts';
import { slackReason } from './clients.ts';
import { oneWorkspace, type TeamArgument, type Workspaces } from './workspaces.ts';

/** How old the list of workspaces may be, in milliseconds: administrators add and remove the app. */
const listAge = 10 * 60_000;

/** What {@link openWorkspaces} works with. */
interface WorkspacesDeps {
  readonly web: { readonly auth: { readonly teams: Pick<WebClient['auth']['teams'], 'list'> } };
  /** Asks at the start as long as Slack is away. */
  readonly patiently: <T extends object>(ask: () => Promise<T>) => Promise<T>;
  /** The workspace for incidents that began outside Slack; `""` for the first. */
  readonly wanted: string;
  readonly clock: () => Date;
  readonly log: Logger;
}

/** What `auth.test` says of the installation. */
interface Installed {
  readonly team?: string;
  readonly team_id?: string;
  readonly enterprise_id?: string;
  readonly is_enterprise_install?: boolean;
}

/**
 * The home of an installation, which is the id of the workspace or of the organisation, and its workspaces. Throws with a sentence for an
 * operator when the app of an organisation is in none.
 */
export async function openWorkspaces(
  { team = '', team_id = '', enterprise_id = '', is_enterprise_install }: Installed,
  deps: WorkspacesDeps,
): Promise<{ readonly homeId: string; readonly workspaces: Workspaces }> {
  const { wanted, log, patiently } = deps;
  if (is_enterprise_install !== true) {
    if (wanted !== '' && wanted !== team_id)
      log.warn({ workspace: team_id }, 'slack: SLACK_WORKSPACE counts for nothing: the token is of one workspace');
    return { homeId: team_id, workspaces: oneWorkspace(enterprise_id) };
  }
  const homeId = enterprise_id || team_id;
  const workspaces = new OrganisationWorkspaces(deps);
  const ids = await patiently(() => workspaces.list());
  const [first] = ids;
  if (first === undefined) {
    throw new Error(
      `The bot token is of the whole organisation ${team || homeId}, and Muster is in no workspace of it yet. In the organisation’s settings, under Apps, add the app to the workspaces whose people run incidents, then start Muster again.`,
    );
  }
  if (wanted !== '' && !ids.includes(wanted))
    log.warn({ wanted, first }, 'slack: Muster is not in the workspace of SLACK_WORKSPACE, so the first one is used');
  log.info({ organisation: homeId, workspaces: ids }, 'slack: installed in an organisation');
  return { homeId, workspaces };
}

class OrganisationWorkspaces implements Workspaces {
  readonly isOrganisation = true;
  readonly #deps: WorkspacesDeps;
  #known: readonly string[] = [];
  #listedAt = 0;

  constructor(deps: WorkspacesDeps) {
    this.#deps = deps;
  }

  /** The workspaces, in Slack's order. */
  get formerHomes(): readonly string[] {
    return this.#known;
  }

  has(workspaceId: string): boolean {
    return this.#known.includes(workspaceId);
  }

  async each(): Promise<readonly TeamArgument[]> {
    if (Math.abs(this.#now() - this.#listedAt) > listAge) await this.#listAgain();
    return this.#known.map(team_id => ({ team_id }));
  }

  async forChannel(wanted: string): Promise<TeamArgument> {
    if (wanted !== '' && !this.#known.includes(wanted)) await this.#listAgain();
    const team_id = [wanted, this.#deps.wanted].find(each => this.#known.includes(each)) ?? this.#known[0];
    return team_id === undefined ? {} : { team_id };
  }

  /** Asks Slack for them. An empty list takes nothing away: the calls tell what Slack refuses. */
  async list(): Promise<readonly string[]> {
    const ids: string[] = [];
    let cursor = '';
    do {
      const answer = await this.#deps.web.auth.teams.list({ limit: 1000, ...(cursor ? { cursor } : {}) });
      ids.push(...(answer.teams ?? []).flatMap(({ id }) => (id ? [id] : [])));
      cursor = answer.response_metadata?.next_cursor ?? '';
    } while (cursor !== '');
    if (ids.length > 0) this.#known = ids;
    this.#listedAt = this.#now();
    return this.#known;
  }

  #now(): number {
    return this.#deps.clock().getTime();
  }

  /** What was known counts while Slack does not answer. */
  async #listAgain(): Promise<void> {
    await this.list().catch(error => {
      this.#deps.log.warn({ reason: slackReason(error) }, 'slack: could not list the workspaces of the organisation');
    });
  }
}
