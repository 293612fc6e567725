/** Whether an `Accept-Encoding` header names gzip, or everything, and not with a weight of 0 (RFC 9110, 12.5.3). */
export function acceptsGzip(accepted: string | null | undefined): boolean {
  if (accepted === null || accepted === undefined) return false;
  const weights = new Map(
    accepted.split(',').map(each => {
      const [coding = '', ...parameters] = each.split(';').map(part => part.trim().toLowerCase());
      const weight = parameters.find(part => part.startsWith('q='))?.slice(2);
      return [coding, Number(weight ?? 1)];
    }),
  );
  return (weights.get('gzip') ?? weights.get('*') ?? 0) > 0;
}
