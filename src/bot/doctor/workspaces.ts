import { type Finding, failing, ok, unknown } from './finding.ts';
import type { Installation } from './installation.ts';
import { type SlackView, textOf } from './slack-view.ts';

const subject = 'workspaces';
const addIt = 'In the organisation’s settings, under Apps, add the app to the workspaces whose people run incidents';

/** The workspaces of an organisation that has the app, and the one for incidents that began outside Slack; none of it for a single workspace. */
export function checkWorkspaces(
  { workspace }: Pick<Installation, 'workspace'>,
  { auth, teams }: Pick<SlackView, 'auth' | 'teams'>,
): readonly Finding[] {
  if (!teams) return workspace === '' || auth.error !== '' ? [] : [checkHome(workspace, textOf(auth.body, 'team_id'))];
  const stops = 'everything in the workspaces that lack the app';
  if (teams.error !== '') {
    const again = 'Run the doctor again in a minute.';
    return [unknown(subject, `Slack does not list the workspaces of the organisation: ${teams.error}.`, stops, again)];
  }
  const listed = Array.isArray(teams.body.teams) ? teams.body.teams : [];
  const organisation = textOf(auth.body, 'team');
  const nameOf = (team: unknown) => textOf(team, 'name') || textOf(team, 'id');
  const names = listed.map(nameOf).join(', ');
  const has = `The organisation ${organisation} has the app in: ${names}.`;
  if (listed.length === 0) {
    const found = `The organisation ${organisation} has the app in no workspace.`;
    return [failing(subject, found, 'everything in Slack', `${addIt}, then start Muster again.`)];
  }
  const wanted = listed.find(team => textOf(team, 'id') === workspace);
  if (workspace !== '' && wanted === undefined) {
    const found = `SLACK_WORKSPACE is ${workspace}, which is none of them. ${has}`;
    const instead = `channels of incidents that began outside Slack: they are made in ${nameOf(listed[0])}`;
    return [failing(subject, found, instead, `${addIt}, or set SLACK_WORKSPACE to one of them.`)];
  }
  const [first] = listed;
  const usual = `Channels of incidents that began outside Slack are made in ${nameOf(wanted ?? first)}.`;
  return [ok(subject, `${has} ${usual}${workspace === '' ? ' SLACK_WORKSPACE names another one.' : ''}`)];
}

function checkHome(workspace: string, home: string): Finding {
  if (workspace === home) return ok(subject, 'SLACK_WORKSPACE is the workspace of the token.');
  const found = `SLACK_WORKSPACE is ${workspace}, and the bot token is of the workspace ${home} alone.`;
  return failing(subject, found, 'nothing: channels are made in the workspace of the token', 'Remove SLACK_WORKSPACE.');
}
