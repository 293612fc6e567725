import { hash } from 'node:crypto';
import type { RequestListener } from 'node:http';
import type { Logger } from 'pino';
import { z } from 'zod';
import { isTransient, RpcError } from '../../contract/errors.ts';
import { createHookDoor, type DoorParts, NotGenuine } from '../alerts/hook-door.ts';
import { parseBody } from '../alerts/parse-body.ts';
import { UnreadableAlert } from '../alerts/read/unreadable.ts';
import type { IncidentDeps } from '../incident/acts/intent-kind.ts';
import type { PageCall, Pagers } from '../incident/acts/pagers.ts';
import { Stopped } from '../journal/intent.ts';
import type { PageStore } from './page-store.ts';
import type { Pager, PagerNews } from './pager.ts';
import { submitClose } from './send.ts';

/** The result of an attempt to reach a pager. */
export const pageResults = ['sent', 'again', 'failed'] as const;
/** One of {@link pageResults}. */
export type PageResult = (typeof pageResults)[number];

interface PagingDeps {
  readonly pagers: readonly Pager[];
  readonly group: string;
  readonly store: PageStore;
  readonly incidents: () => IncidentDeps;
  readonly observe: (attempt: { readonly pager: string; readonly result: PageResult }) => void;
  readonly log: Logger;
}

/** Pages the pagers of the team, hears what they answer, and tells them when an incident is over. */
export class Paging implements Pagers {
  readonly names: readonly string[];
  readonly group: string;
  readonly #deps: PagingDeps;
  /** Pages whose end this process has handed to the journal. */
  #closing: ReadonlySet<string> = new Set();

  constructor(deps: PagingDeps) {
    this.#deps = deps;
    this.names = deps.pagers.map(each => each.name);
    this.group = deps.group;
  }

  begin: Pagers['begin'] = page => this.#deps.store.begin(page);

  isAcknowledged: Pagers['isAcknowledged'] = (incidentID, since) => this.#deps.store.isAcknowledged(incidentID, since);

  lastSince: Pagers['lastSince'] = (incidentID, asked) => this.#deps.store.lastSince(incidentID, asked);

  record: Pagers['record'] = async (id, news) => {
    const { cards, settings } = this.#deps.incidents();
    const incidentID = await this.#deps.store.record(id, news, settings.callAfter);
    if (incidentID !== undefined) cards.refresh(incidentID);
  };

  send(name: string, call: PageCall, signal: AbortSignal): Promise<void> {
    return this.#reach(name, pager => pager.send(call, signal));
  }

  close(name: string, id: string, signal: AbortSignal): Promise<void> {
    return this.#reach(name, pager => pager.close(id, signal));
  }

  purge: Pagers['purge'] = now => this.#deps.store.purge(now);

  /** Stores what a pager says of a page to it. What it says of others is not Muster's. */
  async hear(name: string, { key, ...news }: PagerNews): Promise<void> {
    const page = await this.#deps.store.find(key);
    if (page?.pager === name) await this.record(key, news);
    else this.#deps.log.info({ pager: name }, 'pages: a pager tells of a page that is none of Muster’s');
  }

  /** Closes the pages of incidents that are over, and reports the pages that failed for good; happens once a second. Never throws. */
  async look(): Promise<void> {
    if (this.names.length === 0) return;
    const { store, incidents, log } = this.#deps;
    try {
      const closable = await store.closable();
      const over = closable.filter(each => !this.#closing.has(each.id));
      this.#closing = new Set(closable.map(each => each.id));
      await Promise.all(over.map(page => submitClose(incidents(), page)));
      for (const { id, trouble } of await store.givenUp())
        await this.record(id, { state: 'failed', trouble: `I gave up: ${trouble}` });
    } catch (err) {
      if (err instanceof Stopped) return;
      this.#closing = new Set();
      log.warn({ err }, 'pages: could not look for pages that are over');
    }
  }

  async #reach(name: string, work: (pager: Pager) => Promise<void>): Promise<void> {
    const { pagers, observe } = this.#deps;
    const pager = pagers.find(each => each.name === name);
    if (!pager)
      throw new RpcError('failed_precondition', `there is no pager ${name} any more`, { maybeApplied: false });
    try {
      await work(pager);
      observe({ pager: name, result: 'sent' });
    } catch (error) {
      observe({ pager: name, result: isTransient(error) ? 'again' : 'failed' });
      throw error;
    }
  }
}

/** Where pagers answer: `/hooks/pages/<name>`. */
const pagesPath = '/hooks/pages/';

interface DoorDeps extends DoorParts {
  readonly pagers: readonly Pager[];
  /** Stores what a pager says of a page. Resolves when it is durable. */
  readonly hear: (pager: string, heard: PagerNews) => Promise<void>;
}

/** The one answer to an unknown name, no signature and a wrong one. */
const noEntry = { why: 'There is no such pager, or the signature is not its signature.' };

/**
 * Takes what pagers say of pages. It reads no body without a signature, and checks the signature before it parses the body. A name that no
 * pager has is handled as one of a pager is, so that nobody learns the names.
 */
export function createPageDoor({ pagers, hear, ...rest }: DoorDeps): RequestListener {
  const byName = new Map(pagers.map(each => [each.name, each]));
  return createHookDoor<{ readonly pager: Pager | undefined }>({
    ...{ many: 'pages', one: 'answer', noEntry, ...rest },
    check: ({ url = '', headers }) => {
      const [path = ''] = url.split('?', 1);
      const pager = byName.get(path.slice(pagesPath.length));
      // Whichever tool signs so, and whether it is genuine or not: that takes the body.
      const isSigned = Object.values(headers).some(each => /v1=[\da-f]{64}/.test(String(each)));
      const source = isSigned ? { pager } : undefined;
      return { source, name: pager?.name ?? '', why: source ? '' : 'no signature' };
    },
    take: async ({ pager }, body, headers) => {
      // Reading for nobody takes as long.
      if (!pager) hash('sha256', body);
      if (!pager?.isGenuine(headers, body)) throw new NotGenuine(pager ? 'wrong signature' : 'unknown pager');
      const heard = read(pager, parseBody(body));
      if (heard) await hear(pager.name, heard);
      return 'stored';
    },
  });
}

function read(pager: Pager, body: unknown): PagerNews | undefined {
  try {
    return pager.hear(body);
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    const [{ path = [] } = {}] = error.issues;
    throw new UnreadableAlert(`The body has no ${path.join('.') || 'object'} that can be read.`);
  }
}
