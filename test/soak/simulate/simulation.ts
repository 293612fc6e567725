import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Runs `npm run simulate` with arguments, in a process of its own, since it takes the clock of its process over. */
export function simulate(...args: string[]): Promise<{ readonly code: number; readonly text: string }> {
  const main = fileURLToPath(new URL('./main.ts', import.meta.url));
  return new Promise(resolve => {
    execFile(process.execPath, [main, ...args], { maxBuffer: 1e9 }, (error, stdout, stderr) => {
      resolve({ code: error ? 1 : 0, text: stdout + stderr });
    });
  });
}
