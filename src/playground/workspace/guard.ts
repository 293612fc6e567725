/** Names of this machine in an address. */
const local = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

/**
 * Says why a request is refused; undefined when it may pass. Only this machine's pages may ask: a foreign name for it (DNS
 * rebinding) and another site's script or form are refused.
 */
export function whyRefused(request: Request): string | undefined {
  const host = request.headers.get('host') ?? '';
  if (!local.test(host)) return 'The playground answers under localhost only.';
  const origin = request.headers.get('origin');
  if (origin !== null && origin !== `http://${host}`) return 'Another site may not use the playground.';
  const site = request.headers.get('sec-fetch-site') ?? 'none';
  const isNavigation = request.headers.get('sec-fetch-mode') === 'navigate' && request.method === 'GET';
  if (site !== 'same-origin' && site !== 'none' && !isNavigation) return 'Another site may not use the playground.';
  return undefined;
}
