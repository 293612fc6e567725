import { expect, test } from 'vitest';
import { typedBack } from '../../../../../src/bot/dispatch/answers/typed-back.ts';

test.each(['"', '\\', 'a', '🔥', '\n'])(
  'what was typed comes back within the size of a message, even of %j alone',
  sign => {
    const blocks = typedBack({ kind: 'command', root: 'incident', text: `x${sign.repeat(8000)}x` });
    const sent = JSON.stringify(blocks);
    expect(sent).toContain('You typed: /incident x');
    expect(sent.length).toBeLessThan(9000);
  },
);
