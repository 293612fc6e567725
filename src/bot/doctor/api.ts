import type { Api } from '../../contract/contract.ts';
import { isTransient, RpcError } from '../../contract/errors.ts';
import { type Finding, failing, ok, unknown } from './finding.ts';
import type { Installation } from './installation.ts';

/** What the check asks of the API. */
export interface ProbedApi {
  readonly RolesService: Pick<Api['RolesService'], 'GetRoles'>;
  readonly IncidentsService: Pick<Api['IncidentsService'], 'UpdateIncidentIsDrill'>;
}

/** No incident has this id, so a change to it changes nothing: the refusal tells whether changes are allowed. */
const noIncident = '0';

const subject = 'incident API';
const reads = 'everything about incidents; what people change is kept and done when the API answers';
const refuses = 'everything about incidents; what people change is refused, and they are told so';
const writes = 'every change of an incident';

/** Whether the incident API answers, how fast, whether its token and plugin id are right, and whether the token may write. */
export async function checkApi(
  { apiKind, apiHost = 'GRAFANA_URL', deadlines }: Pick<Installation, 'apiKind' | 'apiHost' | 'deadlines'>,
  api: ProbedApi,
  monotonicNow: () => number,
): Promise<readonly Finding[]> {
  const began = monotonicNow();
  try {
    await api.RolesService.GetRoles({});
  } catch (error) {
    return [whyNotRead(error, apiHost)];
  }
  const ms = Math.round(monotonicNow() - began);
  const answers = `${apiKind === 'grafana' ? 'Grafana' : 'The embedded service'} answers in ${ms} ms.`;
  const speed =
    ms <= deadlines.doctor.read
      ? ok(subject, answers)
      : failing(subject, answers, 'quick answers: people wait', 'Look at the load of the API and the network between.');
  return apiKind === 'grafana' ? [speed, await checkRole(api)] : [speed];
}

function whyNotRead(error: unknown, host: string): Finding {
  if (!(error instanceof RpcError)) throw error;
  const { code, status } = error;
  if (status === 404) return noPlugin(error, host);
  switch (code) {
    case 'unauthenticated':
      return failing(
        'API token',
        'The API refuses it: it is wrong, expired or revoked.',
        refuses,
        'In Grafana, Administration → Service accounts: add a token to one of role Editor, put it into GRAFANA_TOKEN, and start Muster again.',
      );
    case 'permission_denied':
      return failing('API token', 'The API does not let it read incidents.', refuses, giveEditor);
    case 'not_found':
    case 'invalid_response':
      return noPlugin(error, host);
    default:
      return failing(
        subject,
        status === undefined ? error.message : `The API at ${host} does not work now: ${toAnswer(error)}.`,
        isTransient(error) ? reads : refuses,
        [
          ...(error.hint && status === undefined ? [error.hint] : []),
          'Check GRAFANA_URL, and whether Grafana runs and can be reached from this machine. Muster goes on as soon as it answers, without a restart.',
        ].join(' '),
      );
  }
}

/** Something else answers in the API's place: the plugin is away, or the address or its id is wrong. */
function noPlugin(error: RpcError, host: string): Finding {
  return failing(
    'API plugin',
    error.status === undefined
      ? error.message
      : `Something answers at ${host}, but not the incident API: ${toAnswer(error)}.`,
    reads,
    'Check GRAFANA_URL. Set GRAFANA_PLUGIN_ID to grafana-irm-app, or to grafana-incident-app on an older Grafana, and start Muster again.',
  );
}

/** What came in place of an answer of the API, as a phrase. */
function toAnswer({ status = 0, body = '', message }: RpcError): string {
  if (status >= 300 && status < 400) return `it sends callers to another page, such as a login (status ${status})`;
  if (/^\s*</.test(body)) return `a web page, such as a login (status ${status})`;
  return `status ${status}, “${message.slice(0, 200)}”`;
}

const giveEditor =
  'In Grafana, Administration → Service accounts: give the service account of GRAFANA_TOKEN the role Editor, and access to the incident plugin.';

/** Whether the token may change incidents: it tries to change one that does not exist. */
async function checkRole(api: ProbedApi): Promise<Finding> {
  const role = 'API token';
  try {
    await api.IncidentsService.UpdateIncidentIsDrill({ incidentID: noIncident, isDrill: false });
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    if (error.code === 'permission_denied' || error.code === 'unauthenticated') {
      return failing(role, 'It may read incidents and may not change them.', writes, giveEditor);
    }
    if (error.code === 'not_found' || error.code === 'invalid_argument' || error.code === 'failed_precondition') {
      return ok(role, 'It may read and change incidents.');
    }
  }
  return unknown(role, 'It may read incidents. The API does not tell whether it may change them.', writes, giveEditor);
}
