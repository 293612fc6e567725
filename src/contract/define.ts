import type { z } from 'zod';
import type { ErrorCode } from './errors.ts';
import type { IncidentType } from './incident-type.ts';

/**
 * `read` changes nothing. `set` may be repeated without changing more. `create` makes a new thing each time. Retry policy
 * follows from it.
 */
export type Effect = 'read' | 'set' | 'create';

/** The least a token must be allowed to do, in rising order (docs/api-rules.md A1). */
export const accessRoles = ['Viewer', 'Editor', 'Admin'] as const;
/** One of {@link accessRoles}. */
export type AccessRole = (typeof accessRoles)[number];

/** One RPC operation: `POST {base}/<Service>.<Operation>` (docs/incident-api.md, call convention). */
export interface Method<I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType> {
  readonly summary: string;
  readonly effect: Effect;
  readonly access: AccessRole;
  readonly input: I;
  readonly output: O;
  readonly errors: readonly ErrorCode[];
}

/**
 * One HTTP endpoint: a method and a path. Members of the input fill the `:names` of the path; the rest is the query of a `GET`, and
 * the JSON body of the others.
 */
export interface Endpoint<I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType> extends Method<I, O> {
  readonly httpMethod: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: `/${string}`;
  /** The answer is a redirect to the output's `location`. */
  readonly redirects?: true;
}

/** Service name → operation name → method. */
export type RpcContract = Readonly<Record<string, Readonly<Record<string, Method>>>>;
/** Group name → endpoint name → endpoint. */
export type HttpContract = Readonly<Record<string, Readonly<Record<string, Endpoint>>>>;

/** Describes an RPC operation, keeping the exact types of its schemas. */
export function defineMethod<I extends z.ZodType, O extends z.ZodType>(method: Method<I, O>): Method<I, O> {
  return method;
}

/** Describes an HTTP endpoint, keeping the exact types of its schemas. */
export function defineEndpoint<I extends z.ZodType, O extends z.ZodType>(endpoint: Endpoint<I, O>): Endpoint<I, O> {
  return endpoint;
}

/** Options of one call: the people it speaks of, the type its incident gets, and when to give up. */
export interface CallOptions {
  /** Ends the call early with `canceled`. */
  signal?: AbortSignal;
  /** Milliseconds for the whole call, attempts and waits together. */
  budget?: number;
  /** Milliseconds that the API may ask to wait before another attempt; default: as long as the budget allows. */
  patience?: number;
  /** The people the call speaks of (extension; see acting.ts). */
  people?: People;
  /** The type that the incident of the call gets (extension; see incident-type.ts). */
  incidentType?: IncidentType;
}

/** A person as the caller knows them; `userID` is of the form `provider:id`. A member that is not known is left out. */
export interface KnownPerson {
  userID: string;
  name?: string | undefined;
  photoURL?: string | undefined;
  email?: string | undefined;
  slackUserID?: string | undefined;
  slackTeamID?: string | undefined;
}

/** The person on whose behalf a call is made, and others whom it names. */
export interface People {
  actor?: KnownPerson | undefined;
  others?: readonly KnownPerson[] | undefined;
}

/** The caller's view of a contract: the same names, one async function each. */
export type Client<C extends RpcContract | HttpContract> = {
  readonly [S in keyof C]: {
    readonly [M in keyof C[S]]: (
      input: z.input<C[S][M]['input']>,
      options?: CallOptions,
    ) => Promise<z.output<C[S][M]['output']>>;
  };
};

/** The implementation of one service or group: the same names, one function each over a context of the service's own. */
export type Implementation<S extends Readonly<Record<string, Method>>, Context> = {
  readonly [M in keyof S]: (
    context: Context,
    input: z.output<S[M]['input']>,
  ) => Promise<z.output<S[M]['output']>> | z.output<S[M]['output']>;
};
