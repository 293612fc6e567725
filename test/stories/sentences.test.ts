import { test } from 'vitest';
import { expectNearMissesHarmless, expectSentencesKept } from '../support/typed-lines.ts';

// All of them: test/soak/sentences.

test('100 generated sentences, typed and mentioned, stand on the timelines word for word', () =>
  expectSentencesKept(100, 14));

test('50 near-misses of commands change nothing', () => expectNearMissesHarmless(50, 14));
