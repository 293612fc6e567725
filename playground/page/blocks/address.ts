/** The address if a browser may open it: http, https or mailto. Any other scheme may run something. */
export function safeAddress(url: unknown): string | undefined {
  if (typeof url !== 'string' || !URL.canParse(url)) return undefined;
  const { protocol, href } = new URL(url);
  return ['http:', 'https:', 'mailto:'].includes(protocol) ? href : undefined;
}

/** The path of an address that this page's own server answers; `undefined` for others, since the page asks nobody else. */
export function ownPath(url: unknown, origin: string): string | undefined {
  if (typeof url !== 'string' || !URL.canParse(url, origin)) return undefined;
  const parsed = new URL(url, origin);
  return parsed.origin === origin ? parsed.pathname + parsed.search : undefined;
}
