import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/** The writes to Slack in a busy minute that not one person alone sees. A process of its own, since it takes the clock over. */
function writesOf(...args: string[]): Promise<readonly string[]> {
  const script = fileURLToPath(new URL('./busy-minute.ts', import.meta.url));
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [script, ...args], (error, stdout) => {
      if (error) reject(error);
      else resolve(stdout.trimEnd().split('\n'));
    });
  });
}

test('forty acts of four people in one minute make at most twelve writes beside the private receipts', async () => {
  const writes = await writesOf();
  expect(writes.length, writes.join('\n')).toBeLessThanOrEqual(12);
  expect(writes.filter(each => / room chat\.postMessage /.test(each))).toHaveLength(2);
  const last = writes.findLast(each => each.includes(' noted: ')) ?? '';
  for (const name of ['page the database team', 'investigator', 'rolled back to 1140', 'tell the shops and the press'])
    expect(last.toLowerCase()).toContain(name);
});

test('a change that people must notice adds its own message, and its line and edit in the channel of announcements', async () => {
  const writes = await writesOf('must be noticed');
  expect(writes.length, writes.join('\n')).toBeLessThanOrEqual(12 + 2 * 3);
  const severity = writes.find(each => each.includes('raised the severity'));
  // Asked for after eighteen seconds, and seen at once.
  expect(severity).toMatch(/^18\.\d room chat\.postMessage /);
  for (const each of [
    'raised the severity',
    'went from minor to critical',
    'Update by',
    'Checkout is down: We roll back',
  ])
    expect(writes.filter(write => write.includes(each) && write.includes('chat.postMessage'))).toHaveLength(1);
});
