import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Where CHROMIUM_PATH says which, as .ci/run does, it must be there; elsewhere tests are passed over when there is none. */
const named = process.env.CHROMIUM_PATH;

/** The browser's file. */
export const chromiumPath = named ?? '/usr/bin/chromium';

/** Whether tests in a browser cannot run here. */
export const hasNoBrowser = named === undefined && !existsSync(chromiumPath);

const switches = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Starts a browser. The caller closes it. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: chromiumPath, args: switches });
}
