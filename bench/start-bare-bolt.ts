import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FakeSlack } from '../playground/fake-slack/fake-slack.ts';
import { type AcknowledgingProcess, startProgram } from '../test/support/acknowledging-process.ts';

const program = fileURLToPath(new URL('./bare-bolt.ts', import.meta.url));

/** Starts the bare Bolt app, which acknowledges with `answer`; `more` are further settings. */
export function startBareBolt(
  slack: FakeSlack,
  folder: string,
  answer: string,
  more: Readonly<Record<string, string>> = {},
): Promise<AcknowledgingProcess> {
  return startProgram(slack, [program], join(folder, 'bare.log'), { ANSWER: answer, ...more });
}
