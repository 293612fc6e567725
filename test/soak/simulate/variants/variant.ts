import type { CompiledQuery } from 'kysely';
import type { Settings } from '../../../../src/bot/incident/state/settings.ts';
import type { Transport } from '../../../../src/client/transport.ts';
import type { Invariant } from '../invariants/all.ts';
import type { Troubles } from '../trouble/faults.ts';
import type { SlackCall } from '../trouble/slack-line.ts';

/** A part of Muster that is broken on purpose, to show that it is noticed. */
export interface Variant {
  /** A statement as it reaches the database; undefined when it is lost, and told to have been done. */
  readonly statement?: (query: CompiledQuery) => CompiledQuery | undefined;
  /** The API. */
  readonly answer?: (real: Transport) => Transport;
  /** How often a call to Slack takes effect, whatever is told of it: 1 when nothing is broken. */
  readonly effects?: (call: SlackCall) => number;
  /** What is heard of an answer of Slack. */
  readonly heard?: (call: SlackCall, body: string) => string;
  /** Whether a request of Slack's arrives. */
  readonly arrives?: (body: string) => boolean;
  /** For how long Muster looks for something that the API may still make, in milliseconds. */
  readonly landing?: number;
  /** What Muster takes for the settings of the team. */
  readonly settings?: (real: Settings) => Settings;
  /** The body of a request as it reaches a pager; undefined when it is lost, and told to have been taken. */
  readonly toPager?: (body: string) => string | undefined;
}

/** What befalls a world, and what in it is broken. */
export interface WorldOptions {
  readonly troubles: Troubles;
  readonly variant: Variant;
}

/** How a variant is noticed. */
interface Shown {
  /** The invariant that it breaks. */
  readonly breaks: Invariant;
  /** Some seed up to this one shows it; absent: 4. */
  readonly seeds?: number;
}

/** Variants by name, each with the troubles under which it shows and the invariant that notices it. */
export type Variants = Readonly<Record<string, WorldOptions & Shown>>;

/** Every sort of trouble. */
export const everyTrouble: Troubles = {
  api: true,
  slack: true,
  refusals: true,
  database: true,
  steps: true,
  kills: true,
  stops: true,
  freezes: true,
  tokens: true,
  floods: true,
  lookups: true,
  departures: true,
  rooms: true,
  sockets: true,
  elsewhere: 0.6,
  talk: 0.6,
  rivals: 0.4,
  duties: 0.5,
  aftermath: 0.4,
  alerts: 0.4,
  calls: 0.5,
  promises: 0.5,
  pages: 0.5,
  days: 0,
  grafana: 0.5,
};
/** No trouble. */
export const none: Troubles = {
  api: false,
  slack: false,
  refusals: false,
  database: false,
  steps: false,
  kills: false,
  stops: false,
  freezes: false,
  tokens: false,
  floods: false,
  lookups: false,
  departures: false,
  rooms: false,
  sockets: false,
  elsewhere: 0,
  talk: 0,
  rivals: 0,
  duties: 0,
  aftermath: 0,
  alerts: 0,
  calls: 0,
  promises: 0,
  pages: 0,
  days: 0,
  grafana: 0,
};
/** Nothing but an API that is away at times. */
export const apiAway: Troubles = { ...none, api: true };
