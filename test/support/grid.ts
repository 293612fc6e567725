import { type Grid, teams } from '../../playground/fake-slack/workspace/grid.ts';
import { partnerTeamId } from '../../playground/fake-slack/workspace/serialize.ts';
import { openInstalledSlack, openWorkplace, type WorkplaceOptions } from './workplace.ts';

/** The workspaces of the organisation; the app was not added to the last one. */
export const [acme, west, labs] = teams;

/**
 * A Slack of an organisation of three workspaces, with people of each, guests of two, and people of another organisation. #general is of
 * the first workspace, #west of the second, #shared of both; #connect is shared with the other organisation.
 */
export async function openGridSlack(install: Grid['install'] = 'organisation', granted = [acme.id, west.id]) {
  const grid: Grid = { install, granted };
  const slack = await openInstalledSlack(undefined, { grid });
  const alice = slack.addPerson({ name: 'alice' });
  const bob = slack.addPerson({ name: 'bob', teamId: west.id });
  const lena = slack.addPerson({ name: 'lena', teamId: labs.id });
  const gus = slack.addPerson({ name: 'gus', isRestricted: true });
  const greta = slack.addPerson({ name: 'greta', teamId: west.id, isRestricted: true });
  const partner = slack.addPerson({ name: 'partner', teamId: partnerTeamId });
  const stranger = slack.addPerson({ name: 'stranger', teamId: 'T0OTHER0001', isStranger: true });
  const both = [acme.id, west.id];
  const general = slack.addChannel({ name: 'general', members: [alice, gus], botIsMember: true });
  const westOnly = slack.addChannel({ name: 'west', members: [bob, greta], botIsMember: true, teamIds: [west.id] });
  const shared = slack.addChannel({ name: 'shared', members: [alice, bob], botIsMember: true, teamIds: both });
  const all = slack.addChannel({
    ...{ name: 'all-hands', members: [alice, bob, lena, gus, greta], botIsMember: true },
    teamIds: teams.map(team => team.id),
  });
  const connect = slack.addChannel({
    ...{ name: 'connect', members: [alice, bob, gus, partner, stranger], botIsMember: true },
    ...{ isExtShared: true, teamIds: both },
  });
  return { slack, grid, alice, bob, lena, gus, greta, partner, stranger, general, westOnly, shared, all, connect };
}

/** The organisation of {@link openGridSlack} with Muster in it. */
export async function openGrid(options: WorkplaceOptions & { readonly install?: Grid['install'] } = {}) {
  const { install, ...rest } = options;
  const world = await openGridSlack(install);
  const place = await openWorkplace({ ...rest, slack: world.slack });
  const titles = async () =>
    (await place.api.IncidentsService.QueryIncidentPreviews({ query: {} })).incidentPreviews.map(each => each.title);
  return { ...world, place, titles };
}
