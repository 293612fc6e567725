import type { z } from 'zod';
import type { Method } from '../../contract/define.ts';
import { distance, plainName } from '../../contract/distance.ts';
import type { RpcError } from '../../contract/errors.ts';
import { toPlainNumber } from '../../contract/exact-json.ts';
import { saysNothing } from '../../contract/fields.ts';
import { invalidArgument, quote } from './errors.ts';

/** Gives the members of a value the names of the contract. `at` is the value's place in the request: `''` or `labels.0.`. */
type Reader = (value: unknown, at: string) => unknown;

/** What a reader does with a member that the contract does not have; `near` are the names that it has. */
type OnUnknown = (member: string, near: readonly string[]) => void;

/**
 * Reads the members of a request before the contract does (docs/api-rules.md A1, Members of requests): names in any case, as Go's servers
 * do. Where something is changed, an unknown member is refused unless it is empty.
 */
export function toMemberReader(operation: string, { effect, input }: Method): (body: object) => unknown {
  const refuse: OnUnknown = (member, near) => {
    throw unknownMember(operation, member, near);
  };
  const read = toReader(input, effect === 'read' ? () => undefined : refuse);
  return body => read?.(body, '') ?? body;
}

/** The reader of a schema; undefined where the contract names no members. */
function toReader(schema: z.core.$ZodType, onUnknown: OnUnknown): Reader | undefined {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'object':
      return toObjectReader(def.shape, onUnknown);
    case 'array': {
      const each = toReader(def.element, onUnknown);
      return (
        each &&
        ((value, at) =>
          Array.isArray(value) ? value.map((item, index) => each(toPlainNumber(item), `${at}${index}.`)) : value)
      );
    }
    case 'pipe':
      return toReader(def.in, onUnknown);
    case 'optional':
    case 'nullable':
      return toReader(def.innerType, onUnknown);
    default:
      return undefined;
  }
}

function toObjectReader(shape: Readonly<Record<string, z.core.$ZodType>>, onUnknown: OnUnknown): Reader {
  const names = Object.keys(shape).filter(name => !isUnkept(shape[name]));
  const known = new Map(
    Object.entries(shape).map(([name, schema]) => [name.toLowerCase(), { name, read: toReader(schema, onUnknown) }]),
  );
  return (value, at) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const members: Record<string, unknown> = {};
    for (const [given, written] of Object.entries(value)) {
      const content = toPlainNumber(written);
      const member = known.get(given.toLowerCase());
      if (member === undefined) {
        if (!saysNothing(content)) onUnknown(`${at}${given}`, names);
        continue;
      }
      const { name, read } = member;
      if (Object.hasOwn(members, name))
        throw invalidArgument(`${at}${name} is given twice, with different capitals: give it once`);
      members[name] = read ? read(content, `${at}${name}.`) : content;
    }
    return members;
  };
}

/** Whether a member is known only to be refused (`unkept` of the contract). */
function isUnkept(schema: z.core.$ZodType | undefined): boolean {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === 'optional') return isUnkept(def.innerType);
  return def.type === 'pipe' ? isUnkept(def.in) : def.type === 'unknown';
}

function unknownMember(operation: string, member: string, names: readonly string[]): RpcError {
  const told = /^[\w.-]{1,100}$/.test(member) ? member : quote(member);
  const wanted = plainName(member.slice(member.lastIndexOf('.') + 1));
  const near = names.find(each => distance(wanted.slice(0, 40), plainName(each)) <= wanted.length / 4);
  const advice = near === undefined ? `leave it out, or use one of ${names.join(', ')}` : `did you mean ${near}?`;
  return invalidArgument(`${told} is no member of ${operation}, and nothing was done: ${advice}`);
}
