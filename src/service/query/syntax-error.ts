import { RpcError } from '../../contract/errors.ts';

/** The refusal of a query, with the place in it when there is one (offset from 0; people are told it from 1). */
export function invalidQuery(reason: string, offset?: number): RpcError {
  const place = offset === undefined ? '' : ` (at character ${offset + 1})`;
  return new RpcError('invalid_argument', `invalid query: ${reason}${place}`);
}

/** A piece of the query's text for use inside a reason: in quotes, and short. */
export function excerpt(text: string): string {
  const characters = [...text];
  return characters.length > 40 ? `"${characters.slice(0, 40).join('')}…"` : `"${text}"`;
}
