import { Pool } from 'undici';
import type { FakeSlack } from '../playground/fake-slack/fake-slack.ts';
import type { AcknowledgingProcess } from '../test/support/acknowledging-process.ts';
import { eventsPath, signed, type TypedCommand } from '../test/support/signed-command.ts';
import type { SlowSlack } from './slow-slack.ts';

/** How long a contender took over a command, in milliseconds from sending the request. */
interface Waits {
  /** Until it was acknowledged. */
  readonly acknowledged: number;
  /** Until Slack had the answer at the `response_url`. */
  readonly answered: number;
}

/** People who type to a contender. Disposing closes their connections. */
export interface Conversation extends AsyncDisposable {
  /** Resolves when the command is answered. Throws when it is not acknowledged. */
  type(typed: Omit<TypedCommand, 'responseUrl'>): Promise<Waits>;
}

/** Opens a conversation over as many connections as commands are under way at a time. */
export function openConversation(
  contender: AcknowledgingProcess,
  { slack, slowSlack, connections }: { slack: FakeSlack; slowSlack: SlowSlack; connections: number },
): Conversation {
  const pool = new Pool(contender.origin, { connections, pipelining: 1 });
  return {
    type: async typed => {
      const { responseUrl, answered } = slowSlack.expectAnswer();
      const request = signed(slack, { ...typed, responseUrl });
      const began = performance.now();
      const { statusCode, body } = await pool.request({ path: eventsPath, method: 'POST', ...request });
      await body.dump();
      const acknowledged = performance.now() - began;
      if (statusCode !== 200) throw new Error(`A command was answered with status ${statusCode}.`);
      await answered;
      return { acknowledged, answered: performance.now() - began };
    },
    [Symbol.asyncDispose]: () => pool.close(),
  };
}
