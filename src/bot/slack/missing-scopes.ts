import type { Logger } from 'pino';
import { findScope } from './permissions.ts';

/** The error body of a call whose scope is missing, as far as it is read (docs/slack.md 7). */
const refusal = /"error":\s*"missing_scope"/;
const needed = /"needed":\s*"([a-z_.:]{1,80})/;

/**
 * Remembers the scopes that Slack has asked for. Each is logged once, with what does not work without it; who calls need not log the
 * same again.
 */
export class MissingScopes {
  readonly #log: Logger;
  readonly #names = new Set<string>();

  constructor({ log }: { readonly log: Logger }) {
    this.#log = log;
  }

  /** Their names, in the order in which they were missed. */
  get names(): readonly string[] {
    return [...this.#names];
  }

  /** Reads an answer of Slack's. */
  read(body: string): void {
    if (!refusal.test(body)) return;
    const scope = needed.exec(body)?.[1] ?? '';
    if (this.#names.has(scope)) return;
    this.#names.add(scope);
    this.#log.warn(
      { scope, stops: findScope(scope)?.use ?? '' },
      'slack: the app lacks a scope, so a part is left out; add it in the app’s OAuth & Permissions and install the app again (muster doctor)',
    );
  }
}
