import { JSONPathError, jsonpath } from 'json-p3';

/** The most characters of a path. */
const maxPath = 500;

/** The value of one member of a body of JSON; undefined where the body has nothing there. */
export type MemberPath = (body: unknown) => unknown;

/**
 * Compiles a path of RFC 9535 that names one member, with or without `$.` before it. A path that may mean several, or none at all, becomes
 * a clause that says why, for a sentence about the path.
 */
export function compileMemberPath(path: string): MemberPath | { readonly problem: string } {
  if (path.length > maxPath) return { problem: `a path has at most ${maxPath} characters` };
  try {
    const query = jsonpath.compile(path.startsWith('$') ? path : path.startsWith('[') ? `$${path}` : `$.${path}`);
    if (query.singularQuery()) return body => query.query(body as Parameters<typeof query.query>[0]).values()[0];
  } catch (error) {
    if (!(error instanceof JSONPathError)) throw error;
  }
  return { problem: 'that is no path to one member, such as alerts[0].labels.severity' };
}

/** A value of JSON as a text: texts, numbers, and `true` and `false`; undefined for any other. */
export function toValueText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}
