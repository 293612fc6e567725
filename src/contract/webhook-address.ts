/** The most characters of an endpoint's address. */
const maxLength = 2000;

/**
 * What is wrong with the address of a webhook's endpoint, as the end of a sentence about it; undefined when it can be used. Any
 * host is allowed, also one inside the network: only people who run Muster can add an endpoint.
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
