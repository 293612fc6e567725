import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { rpcBase } from '../../../src/contract/contract.ts';
import { eventsPath, type Place, type SigningApp, signedHelp } from '../../support/signed-command.ts';
import { tokens } from '../../support/tokens.ts';

/*
 * The bystander, in a process of its own: `bystander-process.ts <origin> <the app as JSON> <its place as JSON>`. It tells its
 * parent how each act ends, and ends when the parent goes.
 */

/** How one read or one signed command of a bystander ended. */
export interface Ended {
  /** How long the answer took, in milliseconds. */
  readonly wait: number;
  /** What was answered, where it is not what should be. */
  readonly failure?: string;
}

const [, , origin = '', written = '', typedAt = ''] = process.argv;
const app: SigningApp = JSON.parse(written);
const where: Place = JSON.parse(typedAt);
const base = rpcBase('grafana-irm-app');
const every = 50;
/** Milliseconds after which the bystander gives an answer up. */
const patience = 20_000;

const pools = { read: new Pool(origin, { connections: 1 }), command: new Pool(origin, { connections: 1 }) };
const headers = { authorization: `Bearer ${tokens.Editor}`, 'content-type': 'application/json' };
const call = (operation: string, body: object) =>
  pools.read.request({ method: 'POST', path: `${base}/${operation}`, headers, body: JSON.stringify(body) });
const acts = {
  read: () => call('IncidentsService.GetIncident', { incidentID: '1' }),
  command: () => pools.command.request({ method: 'POST', path: eventsPath, ...signedHelp(app, where) }),
};

const created = await call('IncidentsService.CreateIncident', { title: 'The bystander’s incident' });
await created.body.dump();
if (created.statusCode !== 200) throw new Error(`The incident could not be declared: ${created.statusCode}`);
process.once('disconnect', () => process.exit());
await Promise.all([go('read'), go('command')]);

/** Does one thing again and again, and takes the time. */
async function go(name: keyof typeof acts): Promise<never> {
  for (;;) {
    const began = performance.now();
    const failure = await failureOf(name);
    process.send?.({ wait: performance.now() - began, ...(failure ? { failure } : {}) } satisfies Ended);
    await pause(every);
  }
}

async function failureOf(name: keyof typeof acts): Promise<string | undefined> {
  try {
    const { statusCode, body } = await Promise.race([acts[name](), late(name)]);
    await body.dump();
    return statusCode === 200 ? undefined : `${name}: ${statusCode}`;
  } catch (error) {
    return `${name}: ${error}`;
  }
}

async function late(name: string): Promise<never> {
  await pause(patience, undefined, { ref: false });
  throw new Error(`no answer to a ${name} within ${patience} ms`);
}
