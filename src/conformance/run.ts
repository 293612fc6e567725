import { createClient } from '../client/client.ts';
import { openHttpTransport } from '../client/transport.ts';
import { pluginIDs, rpc } from '../contract/contract.ts';
import { RpcError } from '../contract/errors.ts';
import type { Deadlines } from '../deadlines.ts';
import { type Check, Difference, show } from './check.ts';
import { checks } from './checks.ts';
import { Fixtures } from './fixtures.ts';
import { createRawHttp, type RawHttp } from './raw-http.ts';
import type { Finding, Report } from './report.ts';
import { watchShapes } from './shape-watch.ts';

interface RunOptions {
  readonly url: string;
  readonly token: string;
  /** A token that may only read. Without it, the rules for viewers are not checked. */
  readonly viewerToken?: string | undefined;
  readonly pluginID?: string | undefined;
  /** A service or group of the contract; only its checks run. */
  readonly only?: string | undefined;
  /** User id to give roles and tasks to; default: the person of the token. */
  readonly person?: string | undefined;
  readonly deadlines: Deadlines;
  /** The name of the run, letters and digits, unlike that of any other. */
  readonly run: string;
  /** Ends the run early; it still cleans up. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs the checks against a server, one after another, and removes what it made there. Rejects with `RpcError`, before anything
 * is written, when the server does not answer or does not know the token.
 */
export async function runChecks(options: RunOptions): Promise<Report> {
  const chosen = choose(options.only).filter(each => !each.viewer || options.viewerToken !== undefined);
  const { deadlines, pluginID = pluginIDs[0] } = options;
  // Few attempts: a server that does not answer is reported.
  const clientOptions = { ...deadlines.conformance.client, breaker: { failures: Number.MAX_SAFE_INTEGER } };
  await using transport = openHttpTransport({ baseUrl: options.url });
  const watch = watchShapes(transport);
  const api = createClient({ transport: watch.transport, token: options.token, pluginID, ...clientOptions });
  const viewer =
    options.viewerToken === undefined
      ? undefined
      : createClient({ transport: watch.transport, token: options.viewerToken, pluginID, ...clientOptions });
  const raw = createRawHttp({ ...options, pluginID });
  await api.RolesService.GetRoles({});
  const prefix = `conformance-${options.run}`;
  const fixtures = new Fixtures({ api, viewer, raw, prefix, person: options.person, deadlines });
  const findings: Finding[] = [];
  let tidied: Awaited<ReturnType<Fixtures['cleanUp']>> | undefined;
  try {
    for (const check of chosen) {
      if (options.signal?.aborted) break;
      findings.push(await find(check, fixtures));
    }
  } finally {
    tidied = await fixtures.cleanUp();
  }
  const operations = [...new Set(chosen.map(each => each.operation))];
  const shapes = operations.flatMap(each => toShapeFindings(each, watch));
  return { findings: [...withoutLuck(findings), ...shapes], leftovers: tidied.staying, notCleanedUp: tidied.failed };
}

function choose(only: string | undefined): readonly Check[] {
  if (only === undefined) return checks;
  const chosen = checks.filter(each => each.operation.split('.')[0]?.toLowerCase() === only.toLowerCase());
  if (chosen.length > 0) return chosen;
  const names = [...new Set(checks.map(each => each.operation.split('.')[0]))].join(', ');
  throw new Error(`There is no "${only}" to check: choose one of ${names}.`);
}

/** A missing operation refuses every call, so a check that passed by a refusal says nothing. */
function withoutLuck(findings: readonly Finding[]): Finding[] {
  const absent = new Set(findings.filter(each => each.verdict === 'not offered').map(each => each.operation));
  return findings.map(each =>
    each.verdict === 'ok' && absent.has(each.operation) ? { ...each, verdict: 'not offered' } : each,
  );
}

async function find(check: Check, fixtures: Fixtures): Promise<Finding> {
  const { operation, what: checked, rule, source } = check;
  const finding = { operation, checked, rule, source };
  try {
    await check.run(fixtures);
    return { ...finding, verdict: 'ok', detail: '', fails: false };
  } catch (error) {
    if (error instanceof RpcError) {
      const { code } = error;
      if (code === 'permission_denied') {
        return { ...finding, verdict: 'not allowed by this token', detail: error.message, fails: false };
      }
      if (code === 'not_found' && (await isMissing(operation, fixtures.raw))) {
        const fails = rule === 'required' && !check.optional;
        return { ...finding, verdict: 'not offered', detail: error.message, fails };
      }
    }
    const weight = (error instanceof Difference ? error.rule : undefined) ?? rule;
    const detail = error instanceof Difference ? error.message : `expected an answer; got ${show(error)}`;
    const fails = weight === 'required';
    return { ...finding, rule: weight, verdict: fails ? 'differs' : 'differs (ours)', detail, fails };
  }
}

/** Whether a server answers an operation as it answers an unknown one. */
async function isMissing(operation: string, raw: RawHttp): Promise<boolean> {
  const [service = '', name = ''] = operation.split('.');
  const methods = Object.entries(rpc).find(([each]) => each === service)?.[1];
  if (!methods || !Object.hasOwn(methods, name)) return await isTrashMissing(operation, raw);
  const asked = await raw.post(operation, {});
  const unknown = await raw.post(`${operation}NoSuchOperation`, {});
  return asked.status === 404 && unknown.status === 404 && asked.text === unknown.text;
}

/** Whether a server lacks the trash (docs/api-rules.md C3): it then answers as for any unknown path. */
async function isTrashMissing(operation: string, raw: RawHttp): Promise<boolean> {
  if (operation !== 'Dashboards.hardDelete' && operation !== 'Dashboards.restore') return false;
  const method = operation === 'Dashboards.restore' ? 'PATCH' : 'DELETE';
  const asked = await raw.post('', '', { method, path: '/api/dashboards/uid/no-such-dashboard/trash' });
  const unknown = await raw.post('', '', { method, path: '/api/dashboards/uid/no-such-dashboard/no-such-path' });
  return asked.status === 404 && asked.text === unknown.text;
}

function toShapeFindings(operation: string, watch: ReturnType<typeof watchShapes>): Finding[] {
  if (watch.seen(operation) === 0) return [];
  const checked = `answers in a shape that the official clients can read (${watch.seen(operation)} answers)`;
  const source = 'docs/api-rules.md A1, What both clients need from responses';
  const faults = watch.faults(operation);
  if (faults.length === 0) {
    return [{ operation, checked, source, rule: 'required', verdict: 'ok', detail: '', fails: false }];
  }
  return faults.map(({ rule, words }) => {
    const fails = rule === 'required';
    return { operation, checked, source, rule, verdict: fails ? 'differs' : 'differs (ours)', detail: words, fails };
  });
}
