import { botEvents, scopes } from '../../src/bot/manifest.ts';

/** What a workspace that has installed Muster gives it: what the manifest asks for, and no more. */
export const grants = { scopes: Object.values(scopes).map(each => each.scope), events: botEvents };
