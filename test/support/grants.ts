import { events, scopes } from '../../src/bot/slack/permissions.ts';

/** What a workspace that has installed Muster gives it: what the manifest asks for, and no more. */
export const grants = { scopes: scopes.map(each => each.name), events: events.map(each => each.name) };
