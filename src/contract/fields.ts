import { z } from 'zod';

/*
 * The members the documents are made of. Each reads leniently (null and absent are the zero value, as the Go clients and
 * server have it: api-behaviour.md A1) and yields the documents' own type, so what is sent is always complete.
 */

/** A string; null or absent reads as `""`. */
export const text = () =>
  z
    .string()
    .nullish()
    .transform(value => value ?? '');

/** A string that must be there and not be empty. */
export const requiredText = () => z.string({ error: issue => missing(issue.input) }).min(1, 'is required');

/** A boolean; null or absent reads as `false`. */
export const flag = () =>
  z
    .boolean()
    .nullish()
    .transform(value => value ?? false);

/** A number of a response; null or absent reads as `0`. The service sends whole numbers only (api-behaviour.md A1). */
export const count = () =>
  z
    .number()
    .nullish()
    .transform(value => value ?? 0);

/** A whole number of a request; null or absent reads as `0`. */
export const wholeNumber = () =>
  z
    .int({ error: 'must be a whole number' })
    .nullish()
    .transform(value => value ?? 0);

/** A whole number that must be there. */
export const requiredNumber = () => z.int({ error: issue => missing(issue.input) ?? 'must be a whole number' });

/** A list; null or absent reads as `[]`. */
export const list = <T extends z.ZodType>(item: T) =>
  z
    .array(item)
    .nullish()
    .transform(value => value ?? []);

/** A free-form JSON object; null or absent reads as `{}`. */
export const freeObject = () =>
  z
    .record(z.string(), z.unknown())
    .nullish()
    .transform(value => value ?? {});

/** One of `values` in a request, or `""` for unset; anything else is refused. */
export const choice = <const V extends readonly [string, ...string[]]>(values: V) =>
  z
    .enum(['', ...values], { error: `must be one of ${values.join(', ')}` })
    .nullish()
    .transform((value): V[number] | '' => (value ?? '') as V[number] | '');

/** One of `values` in a request; it must be there. */
export const requiredChoice = <const V extends readonly [string, ...string[]]>(values: V) =>
  z.enum(values, { error: issue => missing(issue.input) ?? `must be one of ${values.join(', ')}` });

/** One of `values` in a response; a value this version does not know is kept as it came, so that new ones break nothing. */
export const open = <const V extends readonly [string, ...string[]]>(values: V): OpenChoice<V[number]> =>
  text().meta({ examples: [...values] });

/** What {@link open} yields: the known words for the editor, any string for the wire. */
export type OpenChoice<W extends string> = z.ZodType<W | (string & {}), string | null | undefined>;

function missing(input: unknown): string | undefined {
  return input === undefined || input === null || input === '' ? 'is required' : undefined;
}

/** A person, always an object: the empty strings of {@link nobody} when there is none, since clients refuse null (A1). */
export const UserPreview = z.object({ userID: text(), name: text(), photoURL: text() });
/** A person. */
export type UserPreview = z.output<typeof UserPreview>;

/** The value of a person who is not there. */
export const nobody: UserPreview = Object.freeze({ userID: '', name: '', photoURL: '' });

/** A person who may be missing or null in a response. */
export const someone = () => UserPreview.nullish().transform(value => value ?? nobody);

/** Where a page begins; `nextValue` is opaque. Null or absent is the first page. */
export const Cursor = z.object({ nextValue: text(), hasMore: flag() });
/** Where a page begins. */
export type Cursor = z.output<typeof Cursor>;

/** The cursor of a request or response; null or absent is the first page. */
export const cursor = () => Cursor.nullish().transform(value => value ?? { nextValue: '', hasMore: false });

/** `ASC` or `DESC`; `""` in a request means `DESC` (api-behaviour.md A2). */
export const orderDirections = ['ASC', 'DESC'] as const;

/** Adds the `error` member that every RPC response carries (call convention, rule 4). */
export const response = <S extends z.ZodRawShape>(shape: S) => z.object({ ...shape, error: text() });
