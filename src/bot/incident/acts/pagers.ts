import type { PageState, PageTable } from '../../schema/pages-sent.ts';

/** A page as a pager is told of it. Texts are plain; `""`: it is not told. */
export interface PageCall {
  /** Names the page for good: sent again, it is the same page there. */
  readonly key: string;
  readonly title: string;
  readonly why: string;
  /** The name of the person who asked for it. */
  readonly by: string;
  /** The number of the incident. */
  readonly incidentID: string;
  /** Where the incident opens. */
  readonly links: readonly { readonly what: string; readonly url: string }[];
  readonly askedAt: Date;
}

/** A page before it is sent. The intent that sends it has its id. */
export interface NewPage {
  readonly id: string;
  readonly incident_id: string;
  readonly pager: string;
  readonly why: string;
  /** The owner of the intent. */
  readonly actor: string;
  /** Epoch milliseconds. */
  readonly asked_at: number;
}

/** News of a page. */
export interface PageNews {
  readonly state: PageState;
  /** Who or what did it there, or has the page now, in plain text; absent: that is not known. */
  readonly who?: string;
  /** A person did it. Absent: a rule or a tool did, or that is not known. */
  readonly isPerson?: boolean;
  /** When it happened there, in epoch milliseconds; absent: when it is recorded. */
  readonly at?: number;
  /** Why it failed, in plain text. */
  readonly trouble?: string;
}

/** The pagers of the team, and the pages to them. */
export interface Pagers {
  /** The names of the pagers, in the order of the settings; none where the team has none. */
  readonly names: readonly string[];
  /** The Slack group whose members alone may page, by its id or handle; `""`: every member. */
  readonly group: string;
  /** Stores a page before it is sent, unless it is stored. Returns it as it is stored. */
  begin(page: NewPage): Promise<PageTable>;
  /**
   * Records news of a page; its room reads them, and the chains of its incident follow. News that are older than what is known, and those of
   * an unknown page, change nothing.
   */
  record(id: string, news: PageNews): Promise<void>;
  /** Whether a person took a page of an incident that was asked for since a moment, in epoch milliseconds: their acknowledgement holds. */
  isAcknowledged(incidentID: string, since: number): Promise<boolean>;
  /** The newest page of an incident to a pager that was asked for after a moment, in epoch milliseconds, and did not fail; `except` is not counted. */
  lastSince(
    incidentID: string,
    asked: { readonly pager: string; readonly since: number; readonly except?: string },
  ): Promise<NewPage | undefined>;
  /** Sends a page. Throws an RpcError: a transient one where the pager may take it later. Aborts with the signal. */
  send(pager: string, call: PageCall, signal: AbortSignal): Promise<void>;
  /** Tells a pager that a page is over. Throws as {@link send}. */
  close(pager: string, id: string, signal: AbortSignal): Promise<void>;
  /** Deletes some pages that did not change for long; returns how many. */
  purge(now: Date): Promise<number>;
}
