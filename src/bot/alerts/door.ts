import type { RequestListener } from 'node:http';
import type { Logger } from 'pino';
import type { Deadlines } from '../../deadlines.ts';
import type { AlertGroup } from '../incident/state/alert-group.ts';
import { createTokenCheck } from './door-token.ts';
import { createHookDoor, type HookDelivery, type Taken } from './hook-door.ts';
import { parseBody } from './parse-body.ts';
import type { AlertSource } from './read/source.ts';

/** What the door is made with. */
interface DoorDeps {
  readonly sources: readonly AlertSource[];
  /** The group of alerts that a body tells of. Throws an `UnreadableAlert`. */
  readonly read: (source: AlertSource, body: unknown) => AlertGroup;
  /** Stores what a group tells. Resolves when it is durable. */
  readonly hear: (source: AlertSource, group: AlertGroup) => Promise<Taken>;
  readonly observe: (delivery: HookDelivery) => void;
  readonly deadlines: Deadlines;
  readonly clock: () => Date;
  readonly log: Logger;
}

/** The one answer to an unknown name, no token and a wrong one. */
const noEntry = {
  why: 'There is no such source, or the token is not its token. Send the token as Authorization: Bearer <token>, as the password of Basic, or at the end of the address: /hooks/alerts/<name>/<token>.',
  headers: { 'www-authenticate': 'Bearer, Basic realm="alerts"' },
};

/** Takes what monitoring sends to `/hooks/alerts/<name>`. It looks at the token before it reads the body. */
export function createAlertDoor({ sources, read, hear, ...rest }: DoorDeps): RequestListener {
  return createHookDoor({
    ...{ many: 'alerts', one: 'alert', noEntry, ...rest },
    check: createTokenCheck(sources),
    take: async (source, body) => await hear(source, read(source, parseBody(body))),
  });
}
