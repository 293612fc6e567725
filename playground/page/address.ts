/** What the page's address says: who looks, at which channel, thread and message. Each is absent when the address leaves it open. */
export interface Address {
  /** A person's id or name. */
  readonly as: string | undefined;
  /** A channel's id or name. */
  readonly channel: string | undefined;
  readonly thread: string | undefined;
  /** The timestamp of a message of the channel or thread. */
  readonly message: string | undefined;
  /** A story to play up to a step. */
  readonly story: { readonly name: string; readonly step: number } | undefined;
  /** Two people beside each other, in frames of their own. */
  readonly beside: readonly [string, string] | undefined;
}

/** Reads the query of an address. */
export function readAddress(search: string): Address {
  const query = new URLSearchParams(search);
  const get = (name: string): string | undefined => query.get(name) || undefined;
  const story = get('story');
  const [left, right] = get('beside')?.split(',') ?? [];
  return {
    as: get('as'),
    channel: get('channel'),
    thread: get('thread'),
    message: get('message'),
    story: story === undefined ? undefined : { name: story, step: Math.max(0, Number(get('step') ?? 0) || 0) },
    beside: left && right ? [left, right] : undefined,
  };
}

/** Writes the query of an address; `''` for an empty one. */
export function writeAddress(parts: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parts)) if (value !== undefined) query.set(name, value);
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}
