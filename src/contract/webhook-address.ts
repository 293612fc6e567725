/** The most characters of an endpoint's address. */
const maxLength = 2000;

/**
 * The problem of an endpoint's address, as the end of a sentence about it; undefined when there is none. Any host is allowed,
 * also one within the network: people who can name an endpoint run this service.
 */
export function findAddressProblem(url: string): string | undefined {
  if (url.length > maxLength) return `must be at most ${maxLength} characters`;
  const parsed = URL.parse(url);
  if (!parsed || !/^https?:$/.test(parsed.protocol)) return 'must begin with http:// or https:// and name a host';
  if (parsed.username !== '' || parsed.password !== '') {
    return 'must not hold a user name or password: check the signature instead';
  }
  return undefined;
}
