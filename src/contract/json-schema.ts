import { z } from 'zod';
import { meaningOf, sparse } from './fields.ts';

/** A JSON Schema, draft 2020-12, as OpenAPI 3.1 embeds it. */
export type JsonSchema = { readonly [member: string]: unknown };

/** Which way the JSON travels. Requests and responses differ in what must be there. */
type SchemaSide = 'request' | 'response';

/** The named schemas, and the components written so far. */
export class Components {
  readonly #names: ReadonlyMap<z.core.$ZodType, string>;
  readonly #direction: SchemaSide;
  readonly #written: Map<string, JsonSchema>;

  constructor(names: Readonly<Record<string, z.ZodType>>, direction: SchemaSide, written: Map<string, JsonSchema>) {
    this.#names = new Map(Object.entries(names).map(([name, schema]) => [schema, name]));
    this.#direction = direction;
    this.#written = written;
  }

  /** The schema as JSON Schema. A named one becomes a reference, and its component is written the first time. */
  toJsonSchema(schema: z.core.$ZodType): JsonSchema {
    const name = this.#names.get(schema);
    if (name === undefined) return this.#inline(schema);
    if (!this.#written.has(name)) {
      this.#written.set(name, {});
      this.#written.set(name, withMeaning(this.#inline(schema), schema));
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  /**
   * The wire form of the documents. It leaves out where we read more leniently than the API promises: null for every member,
   * and unknown words where a list of words may grow.
   */
  #inline(schema: z.core.$ZodType): JsonSchema {
    const { def } = (schema as z.core.$ZodTypes)._zod;
    switch (def.type) {
      case 'string':
      case 'unknown': {
        const { $schema, ...plain } = z.toJSONSchema(schema);
        // A time that is not set is sent as an empty text.
        return plain.format === 'date-time' ? { anyOf: [plain, { type: 'string', enum: [''] }] } : plain;
      }
      case 'number':
        return { type: 'integer' };
      case 'boolean':
        return { type: 'boolean' };
      case 'enum':
        return { type: 'string', enum: Object.values(def.entries) };
      case 'array':
        return { type: 'array', items: this.toJsonSchema(def.element) };
      case 'record':
        return { type: 'object', additionalProperties: true };
      case 'union':
        return { anyOf: def.options.map(option => this.toJsonSchema(option)) };
      case 'object':
        return this.#object(def.shape, def.catchall !== undefined);
      case 'pipe':
        return this.toJsonSchema(def.in);
      case 'catch':
      case 'optional':
      case 'nullable':
        return this.toJsonSchema(def.innerType);
      default:
        throw new TypeError(`The contract uses a kind of schema that cannot be described yet: ${def.type}`);
    }
  }

  #object(shape: Readonly<Record<string, z.core.$ZodType>>, loose: boolean): JsonSchema {
    const properties: Record<string, JsonSchema> = {};
    const required: string[] = [];
    for (const [name, member] of Object.entries(shape)) {
      const json = this.toJsonSchema(member);
      const nullable = this.#direction === 'response' && readsNull(member);
      properties[name] = withMeaning(nullable ? { anyOf: [json, { type: 'null' }] } : json, member);
      const always = this.#direction === 'response' ? !loose && !sparse.has(member as z.ZodType) : mustBeSent(member);
      if (always) required.push(name);
    }
    return {
      type: 'object',
      properties,
      ...(required.length > 0 && { required }),
      ...(loose && { additionalProperties: true }),
    };
  }
}

function withMeaning(json: JsonSchema, schema: z.core.$ZodType): JsonSchema {
  const description = meaningOf(schema);
  return description === undefined ? json : { ...json, description };
}

function mustBeSent(member: z.core.$ZodType): boolean {
  return member._zod.optin === undefined;
}

/** Whether null is a value of its own here, and not another way to leave the member out. */
function readsNull(member: z.core.$ZodType): boolean {
  const read = z.safeParse(member, null);
  return read.success && read.data === null && (member as z.core.$ZodTypes)._zod.def.type !== 'unknown';
}
