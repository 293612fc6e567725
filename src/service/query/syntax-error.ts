import { RpcError } from '../../contract/errors.ts';

/** The error for a query, with the place in it where there is one. `offset` counts from 0, the message from 1. */
export function invalidQuery(reason: string, offset?: number): RpcError {
  const place = offset === undefined ? '' : ` (at character ${offset + 1})`;
  return new RpcError('invalid_argument', `invalid query: ${reason}${place}`);
}

/** A piece of the query within a sentence: quoted and short. */
export function excerpt(text: string): string {
  const characters = [...text];
  return characters.length > 40 ? `"${characters.slice(0, 40).join('')}…"` : `"${text}"`;
}
