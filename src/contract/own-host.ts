const ownHost = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Whether a host, as `URL` writes it, is the machine itself: others do not know it by this name, and browsers trust it without TLS. */
export function isOwnHost(hostname: string): boolean {
  return ownHost.test(hostname);
}
