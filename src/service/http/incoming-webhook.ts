import type { Hono } from 'hono';
import type { Logger } from 'pino';
import { maxActivityBody } from '../../contract/activity.ts';
import { rpcBase } from '../../contract/contract.ts';
import { incidentTypeHeader } from '../../contract/incident-type.ts';
import { incidentStatuses, maxTitle, NewIncident } from '../../contract/incidents.ts';
import { compileMemberPath, toValueText } from '../../contract/json-path.ts';
import { maxLabels } from '../../contract/labels.ts';
import { maxShortPath } from '../../contract/short-urls.ts';
import { isOwnWebhook } from '../../contract/webhook-signature.ts';
import {
  type IncomingWebhookResponse,
  incomingWebhookParameters,
  incomingWebhookPath,
} from '../../contract/webhooks.ts';
import type { CallGate } from '../call/admit.ts';
import type { CallOrigin, Context } from '../call/context.ts';
import { invalidArgument, quote } from '../call/errors.ts';
import { createIncident, maxRoomPrefix } from '../incidents/create.ts';
import { maxLabel } from '../incidents/labels.ts';
import { addItems } from '../incidents/record-event.ts';
import { toSeverity } from '../incidents/severity.ts';
import { toStorableText } from '../store/storable-text.ts';
import { readBody, webBody } from './body.ts';
import type { BodyBudget } from './body-budget.ts';
import { jsonType } from './rpc.ts';

/** The paths at which a URL alone declares an incident, newer form and older (docs/api-rules.md A12). */
const paths = [
  `${rpcBase(':plugin')}${incomingWebhookPath}`,
  '/api/plugins/:plugin/resources/api/experimental/incoming-webhook/grafana.incident.create',
  '/api/experimental/incoming-webhook/grafana.incident.create',
] as const;

const maxBody = 1024 * 1024;

/** Answers incoming webhooks on an app. The URL becomes an incident, the body a note of it. */
export function mountIncomingWebhook(app: Hono, gate: CallGate, bodies: BodyBudget): void {
  app.on('POST', [...paths], async c => {
    using room = bodies.open();
    const parameters = new URL(c.req.raw.url).searchParams;
    const origin = withToken(gate.originOf(c.req.raw), parameters.get('token'));
    const admitted = await gate.admit(origin, { access: 'Editor', effect: 'create', takesType: true });
    refuseEcho(origin, gate.log);
    refusePrivate(parameters);
    const body = await readBody(webBody(c.req.raw), maxBody, room);
    const filled = withBodyValues(parameters, body);
    if ('problem' in filled) throw invalidArgument(`${filled.problem}. Nothing was declared`);
    const answer = await admitted.run(context => declare(context, filled, body));
    return c.body(JSON.stringify(answer), 200, { 'content-type': jsonType });
  });
}

/** The origin with the token of the URL, when there is no `Authorization` header, or an empty one. */
function withToken(origin: CallOrigin, token: string | null): CallOrigin {
  const authorization = origin.header('authorization') || (token === null ? undefined : `Bearer ${token}`);
  return { ...origin, header: name => (name === 'authorization' ? authorization : origin.header(name)) };
}

/**
 * Refuses the outgoing webhook of a Muster, this one or another. Each incident would send a webhook that declares the next one,
 * until a disk is full.
 */
function refuseEcho(origin: CallOrigin, log: Logger): void {
  if (!isOwnWebhook(origin.header)) return;
  log.warn('service: refused to declare an incident for the outgoing webhook of a Muster; remove that webhook there');
  throw invalidArgument(
    'this is the outgoing webhook of a Muster, and the incident that it would declare would send the next one: give that webhook another address',
  );
}

/** Refuses a parameter that may ask for a private incident: none says so, and it would be declared for all readers. */
function refusePrivate(parameters: URLSearchParams): void {
  for (const [name, value] of parameters) {
    if (Object.hasOwn(incomingWebhookParameters, name) || !/private|incident_?type/i.test(`${name}=${value}`)) continue;
    throw invalidArgument(
      `${quote(name)} is no parameter, and nothing was declared. For a private incident call IncidentsService.CreateIncident with incidentType, or send the header ${incidentTypeHeader}`,
    );
  }
}

async function declare(
  context: Context,
  parameters: URLSearchParams,
  body: string,
): Promise<Partial<IncomingWebhookResponse>> {
  // Problems of the request that do not stop the incident from being declared.
  const complaints: string[] = [];
  const wanted = ['include', 'includes'].flatMap(name => toList(parameters.getAll(name)));
  const { incident } = await createIncident(context, readIncident(context, parameters, complaints));
  await addBody(context, Number(incident.incidentID), body, complaints);
  return { ...(wanted.includes('incident') ? { incident } : {}), processingErrors: complaints };
}

/** Only a title is required. Any other bad parameter gets its default, and the answer says so (docs/api-rules.md A12). */
function readIncident({ options: { severities } }: Context, parameters: URLSearchParams, complaints: string[]) {
  const text = (name: keyof typeof incomingWebhookParameters) => toStorableText(parameters.get(name) ?? '').trim();
  const complainIf = (isBad: boolean, words: string) => isBad && complaints.push(words);
  const title = text('title');
  if (title === '') throw invalidArgument('title is required, as a parameter of the URL');
  complainIf(title.length > maxTitle, `title was cut to ${maxTitle} characters`);
  const severity = readSeverity(text('severity'), severities, complaints);
  const status = incidentStatuses.find(each => each === text('status').toLowerCase());
  complainIf(
    !status && text('status') !== '',
    `status must be one of ${incidentStatuses.join(', ')}; it is active now`,
  );
  const drill = text('drill').toLowerCase();
  complainIf(!['true', '1', 'false', '0', ''].includes(drill), 'drill must be true or false; it is false now');
  const labels = toList(parameters.getAll('labels'));
  const short = labels.filter(each => each.length <= maxLabel);
  complainIf(short.length < labels.length, `labels of more than ${maxLabel} characters were left out`);
  complainIf(short.length > maxLabels, `labels after the first ${maxLabels} were left out`);
  const prefix = text('roomprefix');
  complainIf(prefix.length > maxRoomPrefix, `roomprefix was cut to ${maxRoomPrefix} characters`);
  const [url, caption] = [text('url'), text('caption')];
  const isLong = url.length > maxShortPath || caption.length > maxShortPath;
  complainIf(isLong, `url and caption were left out: one has more than ${maxShortPath} characters`);
  return NewIncident.parse({
    title: title.slice(0, maxTitle).toWellFormed(),
    severity,
    status: status ?? 'active',
    isDrill: ['true', '1'].includes(drill),
    labels: short.slice(0, maxLabels).map(label => ({ label: toStorableText(label) })),
    roomPrefix: prefix.slice(0, maxRoomPrefix).toWellFormed(),
    ...(isLong ? {} : { attachURL: url, attachCaption: caption }),
  });
}

function readSeverity(name: string, severities: Context['options']['severities'], complaints: string[]): string {
  try {
    return toSeverity(name, severities).label;
  } catch (error) {
    const fallback = toSeverity('', severities).label;
    complaints.push(`${error instanceof Error ? error.message : error}; it is ${fallback} now`);
    return fallback;
  }
}

function toList(values: readonly string[]): string[] {
  return values.flatMap(each => each.split(',')).map(each => each.trim());
}

/** Stores the body as a note, fenced, so that it is read as plain text. */
async function addBody(context: Context, incidentID: number, body: string, complaints: string[]): Promise<void> {
  const text = toStorableText(body).trim();
  if (text === '') return;
  const ticks = (text.match(/`{3,}/g) ?? []).reduce((most, each) => Math.max(most, each.length), 2) + 1;
  const fence = '`'.repeat(Math.min(ticks, 100));
  const opening = `${fence}${parse(text) ? 'json' : ''}\n`;
  const closing = `\n${fence}`;
  const room = maxActivityBody - opening.length - closing.length;
  if (text.length > room) complaints.push(`the body was cut to ${room} characters`);
  const note = `${opening}${text.slice(0, room).toWellFormed()}${closing}`;
  await addItems(context, incidentID, [{ kind: 'userNote', body: note, fieldValues: {}, immutable: false }]);
}

/** The value of a parameter in the body: `json(commonLabels.severity)` (docs/api-rules.md A12). */
const inBody = /^\s*json\((.*)\)\s*$/su;

/**
 * The parameters with the values that the body has for them: a path of RFC 9535 that names one member, with or without `$.` before it.
 * Texts, numbers and `true` and `false` are values, and for `labels` a list of texts is one. Returns a sentence for the first that has
 * no value: nothing is guessed, and no incident is ever called `json(…)`.
 */
function withBodyValues(parameters: URLSearchParams, body: string): URLSearchParams | { readonly problem: string } {
  const asked = [...parameters].some(([, value]) => inBody.test(value));
  if (!asked) return parameters;
  const parsed = parse(body);
  const filled = new URLSearchParams();
  for (const [name, value] of parameters) {
    const path = inBody.exec(value)?.[1];
    const found = path === undefined ? { text: value } : parsed && read(parsed.value, path.trim(), name === 'labels');
    if (found === undefined) return { problem: `${name} is ${quote(value)}, and the body is no JSON` };
    if ('problem' in found) return { problem: `${name} is ${quote(value)}, and ${found.problem}` };
    filled.append(name, found.text);
  }
  return filled;
}

function parse(body: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(body) };
  } catch {
    return undefined;
  }
}

function read(
  body: unknown,
  path: string,
  mayBeList: boolean,
): { readonly text: string } | { readonly problem: string } {
  const compiled = compileMemberPath(path);
  if ('problem' in compiled) return compiled;
  const value = compiled(body);
  if (value === undefined) return { problem: 'the body has nothing there' };
  const texts = mayBeList && Array.isArray(value) ? value.map(toValueText) : [toValueText(value)];
  if (texts.some(each => each === undefined)) return { problem: 'the body has no text there' };
  return { text: texts.join(',') };
}
