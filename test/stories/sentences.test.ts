import { test } from 'vitest';
import { expectNearMissesHarmless, expectSentencesKept } from '../support/typed-lines.ts';

// All of them: test/soak/sentences.

test('200 generated sentences, typed and mentioned, stand on the timelines word for word', () =>
  expectSentencesKept(200, 14));

test('100 near-misses of commands change nothing', () => expectNearMissesHarmless(100, 14));
