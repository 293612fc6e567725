/** Whether a path leads to this host whatever a browser makes of it: one slash first, and no mark that browsers read as another. */
export function isOwnPath(path: string): boolean {
  return /^\/(?![/\\])[^\\\p{Cc}\s]*$/u.test(path) && URL.parse(path, 'http://own.example')?.host === 'own.example';
}
