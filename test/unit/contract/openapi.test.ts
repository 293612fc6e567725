import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ActivityItem } from '../../../src/contract/activity.ts';
import { http, rpc, rpcBase } from '../../../src/contract/contract.ts';
import type { Method } from '../../../src/contract/define.ts';
import { Discovery } from '../../../src/contract/discovery.ts';
import { commonErrors, errorCodes } from '../../../src/contract/errors.ts';
import { Folders } from '../../../src/contract/folders.ts';
import { Incident, IncidentPreview, NewIncident } from '../../../src/contract/incidents.ts';
import { toOpenApi } from '../../../src/contract/openapi.ts';
import { unversioned } from '../../../src/contract/unversioned.ts';
import { incidentBody } from '../../support/incident-body.ts';

const Operation = z.looseObject({
  operationId: z.string(),
  tags: z.array(z.string()).optional(),
  summary: z.string().min(1),
  parameters: z
    .array(
      z.discriminatedUnion('in', [
        z.object({ name: z.string(), in: z.literal('path'), required: z.literal(true), schema: z.looseObject({}) }),
        z.object({ name: z.string(), in: z.literal('query'), required: z.boolean(), schema: z.looseObject({}) }),
      ]),
    )
    .optional(),
  requestBody: z
    .object({
      required: z.boolean(),
      content: z.object({ 'application/json': z.object({ schema: z.looseObject({}) }) }),
    })
    .optional(),
  responses: z.record(
    z.string().regex(/^([1-5]\d\d|[1-5]XX)$/),
    z.union([z.object({ $ref: z.string() }), z.looseObject({ description: z.string().min(1) })]),
  ),
});
const PathItem = z.partialRecord(z.enum(['get', 'post', 'put', 'patch', 'delete']), Operation);

/** The parts of OpenAPI 3.1 that the document uses, members required by the specification required here. */
const Document = z.strictObject({
  openapi: z.string().regex(/^3\.1\.\d+$/),
  info: z.object({ title: z.string(), version: z.string(), description: z.string() }),
  servers: z.array(z.object({ url: z.string() })),
  security: z.array(z.record(z.string(), z.array(z.string()))),
  tags: z.array(z.object({ name: z.string() })),
  paths: z.record(z.string().startsWith('/'), PathItem),
  webhooks: z.record(z.string(), PathItem),
  components: z.strictObject({
    securitySchemes: z.strictObject({
      bearer: z.looseObject({ type: z.literal('http'), scheme: z.literal('bearer') }),
      token: z.looseObject({ type: z.literal('apiKey'), in: z.literal('query'), name: z.literal('token') }),
    }),
    responses: z.record(z.string().regex(/^[\w.-]+$/), z.looseObject({ description: z.string().min(1) })),
    schemas: z.record(z.string().regex(/^[\w.-]+$/), z.looseObject({})),
  }),
});

const text = JSON.stringify(toOpenApi());
const document = Document.parse(JSON.parse(text));
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([verb, operation]) => ({ path, verb, operation })),
);

function schemaOf(name: string): z.ZodType {
  const schema = { $ref: `#/$defs/${name}`, $defs: document.components.schemas };
  const asDefinitions = JSON.parse(JSON.stringify(schema).replaceAll('#/components/schemas/', '#/$defs/'));
  return z.fromJSONSchema(asDefinitions);
}

describe('the OpenAPI document', () => {
  test('is committed as it is now; `npm run openapi` renews it', async () => {
    const committed = await readFile(new URL('../../../openapi.json', import.meta.url), 'utf8');
    expect(committed).toBe(`${JSON.stringify(toOpenApi(), null, 2)}\n`);
  });

  test('has every method and endpoint of the contract, folders, what tools ask first, the incoming webhook, and nothing else', () => {
    const expected = Object.entries({ ...rpc, ...unversioned, ...http, Folders, Discovery }).flatMap(
      ([group, methods]) => Object.keys(methods).map(name => `${group}.${name}`),
    );
    const all = [...expected, 'IncomingWebhooks.createIncident'];
    expect(operations.map(each => each.operation.operationId).toSorted()).toEqual(all.toSorted());
    expect(document.paths[`${rpcBase('grafana-irm-app')}/IncidentsService.CreateIncident`]?.post?.operationId).toBe(
      'IncidentsService.CreateIncident',
    );
  });

  test('refers only to what it has, and has nothing that is not referred to', () => {
    const schemas = [...text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(match => match[1]);
    const responses = [...text.matchAll(/"#\/components\/responses\/([^"]+)"/g)].map(match => match[1]);
    expect(new Set(schemas)).toEqual(new Set(Object.keys(document.components.schemas)));
    expect(new Set(responses)).toEqual(new Set(Object.keys(document.components.responses)));
  });

  test('says what every member and every parameter means, in whole sentences', () => {
    const silent: string[] = [];
    const look = (value: unknown, path: string): void => {
      if (typeof value !== 'object' || value === null) return;
      if ('properties' in value && 'type' in value && value.type === 'object') {
        for (const [name, member] of Object.entries(value.properties as Record<string, Record<string, unknown>>)) {
          if (!means(member)) silent.push(`${path} ${name}`);
        }
      }
      if ('in' in value && 'name' in value && !means(value)) silent.push(`${path} ${String(value.name)}`);
      for (const [name, each] of Object.entries(value)) look(each, `${path}/${name}`);
    };
    const means = (member: Readonly<Record<string, unknown>>): boolean => {
      const named = document.components.schemas[String(member.$ref).split('/').at(-1) ?? ''];
      const said = member.description ?? named?.description;
      return typeof said === 'string' && said.length > 4 && (/[.)]$/.test(said) || said.endsWith('`'));
    };
    const whole: unknown = JSON.parse(text);
    look(whole, '');
    expect(silent).toEqual([]);
  });

  test('a time is one in RFC 3339, or empty where it is not set', () => {
    const incident = { ...Incident.parse({}), createdTime: '2026-09-19T09:30:00Z' };
    expect(schemaOf('Incident').safeParse(incident).success).toBe(true);
    expect(schemaOf('Incident').safeParse({ ...incident, createdTime: 'yesterday' }).success).toBe(false);
  });

  test('declares each parameter of a path', () => {
    for (const { path, operation } of operations) {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(match => match[1]);
      expect(operation.parameters?.filter(each => each.in === 'path').map(each => each.name) ?? []).toEqual(named);
    }
  });

  test('lists the errors a method declares and the common ones, and says what repeating it does', () => {
    const methods: Record<string, Record<string, Method>> = { ...rpc, ...unversioned, ...http, Folders, Discovery };
    for (const { operation } of operations) {
      if (operation.operationId.startsWith('IncomingWebhooks.')) continue;
      const [group = '', name = ''] = operation.operationId.split('.');
      const method = methods[group]?.[name];
      const statuses = [...commonErrors, ...(method?.errors ?? [])].map(code => String(errorCodes[code].status));
      expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(statuses));
      expect(operation['x-muster-effect']).toBe(method?.effect);
    }
  });

  test('shows a short link as the redirect it is', () => {
    const follow = operations.find(each => each.operation.operationId === 'ShortUrls.goto');
    expect(follow?.path).toBe('/goto/{uid}');
    expect(Object.keys(follow?.operation.responses ?? {})).toContain('302');
  });

  test('shows the incoming webhook with the parameters of its address, and both ways to say the token', () => {
    const hook = document.paths[`${rpcBase('grafana-irm-app')}/incoming-webhooks/grafana.incident.create`]?.post;
    const names = (required: boolean) =>
      hook?.parameters?.filter(each => each.required === required).map(each => each.name);
    expect(names(true)).toEqual(['title']);
    expect(names(false)).toEqual(['severity', 'status', 'drill', 'labels', 'roomprefix', 'url', 'caption', 'includes']);
    expect(hook?.security).toEqual([{ bearer: [] }, { token: [] }]);
    expect(Object.keys(hook?.responses ?? {})).toEqual(expect.arrayContaining(['200', '400', '401', '403', '413']));
    const answer = schemaOf('IncomingWebhookResponse');
    expect(answer.safeParse({ processingErrors: [] }).success).toBe(true);
    expect(answer.safeParse({ incident: Incident.parse({}), processingErrors: ['x'] }).success).toBe(true);
    expect(answer.safeParse({ incident: 1, processingErrors: [] }).success).toBe(false);
  });

  test('its schemas take what the contract yields', () => {
    expect(schemaOf('Incident').safeParse(JSON.parse(incidentBody).incident).success).toBe(true);
    expect(schemaOf('Incident').safeParse(Incident.parse({})).success).toBe(true);
    expect(schemaOf('IncidentPreview').safeParse(IncidentPreview.parse({})).success).toBe(true);
    expect(schemaOf('ActivityItem').safeParse(ActivityItem.parse({})).success).toBe(true);
    expect(schemaOf('Incident').safeParse({ ...Incident.parse({}), labels: null }).success).toBe(false);
    expect(schemaOf('Incident').safeParse({}).success).toBe(false);
  });

  test('asks for the dashboard that is to be saved', () => {
    const { schema } = document.paths['/api/dashboards/db']?.post?.requestBody?.content['application/json'] ?? {};
    expect(schema?.required).toEqual(['dashboard']);
  });

  test('asks of a request only what the contract asks', () => {
    const create = operations.find(each => each.operation.operationId === 'IncidentsService.CreateIncident');
    const body = create?.operation.requestBody?.content['application/json'].schema;
    expect(body?.required).toEqual(['title']);
    expect(NewIncident.safeParse({ title: 'x' }).success).toBe(true);
  });
});
