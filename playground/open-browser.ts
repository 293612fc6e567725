import { spawn } from 'node:child_process';

/** How each platform opens an address in the browser that its owner prefers. */
const openers: Readonly<Record<string, readonly [command: string, ...first: string[]]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
};

/** Opens an address in the default browser. Resolves to whether the platform's command could be started. */
export function openBrowser(url: string): Promise<boolean> {
  const [command, ...first] = openers[process.platform] ?? ['xdg-open'];
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const child = spawn(command, [...first, url], { stdio: 'ignore', detached: true });
  child.once('error', () => resolve(false));
  child.once('spawn', () => resolve(true));
  child.unref();
  return promise;
}
