import { z } from 'zod';
import { toOpenApi } from './openapi.ts';

/** A JSON Schema as far as the reference shows it. */
export const Schema = z.object({
  $ref: z.string().optional(),
  type: z.string().optional(),
  description: z.string().optional(),
  format: z.string().optional(),
  enum: z.array(z.unknown()).optional(),
  examples: z.array(z.unknown()).optional(),
  required: z.array(z.string()).optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  get items() {
    return Schema.optional();
  },
  get anyOf() {
    return z.array(Schema).optional();
  },
  get properties() {
    return z.record(z.string(), Schema).optional();
  },
});
export type Schema = z.output<typeof Schema>;

const Content = z.object({ 'application/json': z.object({ schema: Schema }) });
const Answer = z.object({
  $ref: z.string().optional(),
  description: z.string().default(''),
  content: Content.optional(),
});

const ApiOperation = z.object({
  operationId: z.string(),
  summary: z.string(),
  tags: z.array(z.string()).default([]),
  'x-muster-effect': z.string().default(''),
  'x-muster-access': z.string().default(''),
  parameters: z
    .array(z.object({ name: z.string(), in: z.string(), required: z.boolean(), description: z.string().optional() }))
    .default([]),
  requestBody: z.object({ content: Content }).optional(),
  responses: z.record(z.string(), Answer),
});
/** One operation of the document. */
export type ApiOperation = z.output<typeof ApiOperation>;

const ApiDocument = z.object({
  info: z.object({ title: z.string(), description: z.string() }),
  tags: z.array(z.object({ name: z.string() })),
  paths: z.record(z.string(), z.record(z.string(), ApiOperation)),
  webhooks: z.record(z.string(), z.object({ post: ApiOperation })),
  components: z.object({ responses: z.record(z.string(), Answer), schemas: z.record(z.string(), Schema) }),
});
/** The part of the OpenAPI document that the reference shows. */
export type ApiDocument = z.output<typeof ApiDocument>;

/** Reads the OpenAPI document of the contract. */
export function readApiDocument(): ApiDocument {
  return ApiDocument.parse(toOpenApi());
}
