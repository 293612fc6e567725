import { z } from 'zod';

/*
 * The members the documents are made of. Each reads leniently: null and absent are the zero value, as in the Go clients and
 * server (docs/api-rules.md A1). Each yields the documents' own type, so what is sent is always complete.
 */

/** A member that may be null or absent and then reads as `zero()`. */
export const lenient = <T extends z.ZodType>(inner: T, zero: () => z.output<T>) =>
  shortCut(
    inner.nullish().transform((value): z.output<T> => value ?? zero()),
    inner,
    zero,
  );

/**
 * A member of a document that others wrote and that is not checked: null, absent, and a value of another type read as `zero()`. `save` may
 * keep a part of that value.
 */
export const tolerant = <T>(inner: z.ZodType<T>, zero: () => T, save: (value: unknown) => T = zero) =>
  lenient(
    inner.catch(({ input }) => save(input)),
    zero,
  );

/** A member that may be null or absent and then reads as null. */
export const orNull = <T extends z.ZodType>(inner: T) =>
  shortCut(
    inner.nullish().transform((value): z.output<T> | null => value ?? null),
    inner,
    () => null,
  );

/**
 * Makes `schema`, a chain of four zod parsers, answer at once in the two cases that need no chain: the value is there, or it is
 * not. It replaces an internal of zod, because nearly every member of the contract is such a chain: without it, a call of the
 * client costs 1.4 times the bare HTTP call instead of 1.0 (`npm run bench -- client`). fields.test.ts fails when a new zod no
 * longer reads through `_zod.run`, or when the short cut and the chain disagree.
 */
function shortCut<S extends z.ZodType>(schema: S, inner: z.ZodType, zero: () => unknown): S {
  const chain = schema._zod.run;
  schema._zod.run = (payload, context) => {
    if (context.direction === 'backward') return chain(payload, context);
    if (payload.value !== null && payload.value !== undefined) return inner._zod.run(payload, context);
    payload.value = zero();
    return payload;
  };
  return schema;
}

/** What members mean, by their schemas. */
const meanings = new WeakMap<z.core.$ZodType, string>();

/**
 * Says in whole sentences what a member means, for the reference and openapi.json. zod's own `describe` would answer a copy, which
 * loses the short cut and the mark of {@link ifSet}.
 */
export const means = <T extends z.ZodType>(schema: T, words: string): T => {
  meanings.set(schema, words);
  return schema;
};

/** What {@link means} said of a schema. */
export function meaningOf(schema: z.core.$ZodType): string | undefined {
  return meanings.get(schema);
}

/** A string; null or absent reads as `""`. */
export const text = () => lenient(z.string(), () => '');

/** A date and a time of day; the zone may be missing, or be written as Go prints it (` +0000 UTC`). */
const dateAndTime = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?) ?(Z|[+-]\d{2}:?\d{2})?(?: UTC)?$/i;

/**
 * A time in its one form, RFC 3339. The incident document's samples have a space in place of the `T` and name no zone
 * (docs/api-rules.md A2): they mean UTC, and JavaScript would read them in the zone of the process. Any other text stays as it is.
 */
function toRfc3339(written: string): string {
  if (written === '' || (written.endsWith('Z') && written.charAt(10) === 'T')) return written;
  const [, date, clock, zone = 'Z'] = dateAndTime.exec(written) ?? [];
  return date === undefined ? written : `${date}T${clock}${zone.toUpperCase().replace(/^(.\d\d)(\d\d)$/, '$1:$2')}`;
}

const moment = z.string().overwrite(toRfc3339).meta({ format: 'date-time' });

/** A time in RFC 3339 (docs/api-rules.md A2); null or absent reads as `""`, which is no time. It is not checked here that it is one. */
export const time = () => lenient(moment, () => '');

/** A string that must be there and not be empty. */
export const requiredText = () => z.string({ error: issue => missing(issue.input) }).min(1, 'is required');

/** A boolean; null or absent reads as `false`. */
export const flag = () => lenient(z.boolean(), () => false);

/** A number of a response; null or absent reads as `0`. The service sends whole numbers only (docs/api-rules.md A1). */
export const count = () => lenient(z.number(), () => 0);

/** A whole number of a request; null or absent reads as `0`. */
export const wholeNumber = () => lenient(z.int({ error: 'must be a whole number' }), () => 0);

/** A whole number that must be there. */
export const requiredNumber = () => z.int({ error: issue => missing(issue.input) ?? 'must be a whole number' });

/** A list; null or absent reads as `[]`. */
export const list = <T extends z.ZodType>(item: T) => lenient(z.array(item), () => []);

/** The most items of a list in a request. */
const mostListed = 1000;

/**
 * A list of a request; null or absent reads as `[]`. One that is too long is refused before its items are looked at: zod would
 * look at all of them, and make a finding of each.
 */
export const requestList = <T extends z.ZodType>(item: T) => {
  const array = z.array(item);
  const look = array._zod.run;
  array._zod.run = (payload, context) => {
    const { value } = payload;
    if (!Array.isArray(value) || value.length <= mostListed) return look(payload, context);
    const message = `must have at most ${mostListed} items`;
    payload.issues.push({ code: 'custom', message, input: value, inst: array, path: [] });
    return payload;
  };
  return lenient(array, () => []);
};

/** A free-form JSON object; null or absent reads as `{}`. */
export const freeObject = () => lenient(z.record(z.string(), z.unknown()), () => ({}));

/** One of `values` in a request, or `""` for unset; anything else is refused. */
export const choice = <const V extends readonly [string, ...string[]]>(values: V) =>
  z
    .enum(['', ...values], { error: `must be one of ${values.join(', ')}` })
    .nullish()
    .transform((value): V[number] | '' => (value ?? '') as V[number] | '');

/** One of `values` in a request; it must be there. */
export const requiredChoice = <const V extends readonly [string, ...string[]]>(values: V) =>
  z.enum(values, { error: issue => missing(issue.input) ?? `must be one of ${values.join(', ')}` });

/** One of `values` in a response. A value that this version does not know passes unchanged, so that new ones break nothing: the known words for the editor, any string for the wire. */
export const open = <const V extends readonly [string, ...string[]]>(
  values: V,
): z.ZodType<V[number] | (string & {}), string | null | undefined> =>
  lenient(z.string().meta({ examples: [...values] }), () => '');

/** The members that {@link ifSet} marks. */
export const sparse = new WeakSet<z.ZodType>();

/**
 * Marks an optional member of a request, or one that the documents lack. The client sends it only when it is not empty, so that
 * older servers receive exactly what they were built for. On a response it marks a member that is not always there.
 */
export const ifSet = <T extends z.ZodType>(schema: T): T => {
  sparse.add(schema);
  return schema;
};

/** Whether a value is empty, as Go clients send a member that is not set (docs/api-rules.md A1). */
export function saysNothing(value: unknown): boolean {
  return !value || (typeof value === 'object' && Object.keys(value).length === 0);
}

/** A member that known clients send, and that is refused unless it is empty. `advice` begins with `is` and says what to do instead. */
export const unkept = (advice: string) =>
  ifSet(
    z
      .unknown()
      .refine(saysNothing, advice)
      .meta({ description: `Refused unless it is empty: it ${advice}.` })
      .transform(() => undefined)
      .optional(),
  );

function missing(input: unknown): string | undefined {
  return input === undefined || input === null || input === '' ? 'is required' : undefined;
}

/**
 * A person, always an object. When there is none, it is {@link nobody} with empty strings, because clients refuse null (A1).
 */
export const UserPreview = z.object({
  userID: means(text(), 'Their id, `provider:id`, such as `slack:U012AB3CD`. Empty: there is nobody.'),
  name: means(text(), 'Their name; the id of a person who is not known.'),
  photoURL: means(text(), 'The address of their picture. Empty: there is none.'),
});
means(UserPreview, 'A person. Where nobody is named, all members are empty.');
export type UserPreview = z.output<typeof UserPreview>;

/** The person of a member that names none. */
export const nobody: UserPreview = Object.freeze({ userID: '', name: '', photoURL: '' });

/** A person who may be missing or null in a response. */
export const someone = () => lenient(UserPreview, () => nobody);

/** Where a page begins; `nextValue` is opaque. Null or absent is the first page. */
export const Cursor = z.object({
  nextValue: means(text(), 'Where the page begins. It is opaque: send it back as it came.'),
  hasMore: means(flag(), 'Whether more results follow. While it is true, repeat the request with this cursor.'),
});
means(Cursor, 'A place in a list that is answered a page at a time.');
export type Cursor = z.output<typeof Cursor>;

/** The cursor of a request or response; null or absent is the first page. */
export const cursor = () =>
  means(
    lenient(Cursor, () => ({ nextValue: '', hasMore: false })),
    'In a request: the `cursor` of the answer before; empty for the first page. In an answer: where the next page begins.',
  );

/** `ASC` or `DESC`; `""` in a request means `DESC` (docs/api-rules.md A2). */
export const orderDirections = ['ASC', 'DESC'] as const;

/** Adds the `error` member that every RPC response carries (call convention, rule 4). */
export const response = <S extends z.ZodRawShape>(shape: S) =>
  z.object({
    ...shape,
    error: means(text(), 'Empty: the call succeeded. A failure has a body of its own, see Errors.'),
  });
