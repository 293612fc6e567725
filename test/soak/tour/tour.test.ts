import { expect, test } from 'vitest';
import { changing, declaring } from '../../../src/playground/tour/incidents.ts';
import { sameStory } from '../../../src/playground/tour/same-story.ts';
import { tour } from '../../../src/playground/tour/tour.ts';
import { play } from '../../support/played.ts';

/** Milliseconds: more than a hundred steps, each with everything that follows from it. */
const patience = 300_000;

test(
  'the whole product is shown, and every step has its effect',
  async () => {
    const { success, text } = await play({ tale: tour });
    expect(text.split('\n').filter(line => line.includes('✗'))).toEqual([]);
    expect(success).toBe(true);
    const [, steps] = /(\d+) of \1 checks passed/.exec(text) ?? [];
    expect(Number(steps)).toBeGreaterThan(80);
  },
  patience,
);

test(
  'the tour fails where Slack does not show what the API says',
  async () => {
    const { success, text } = await play({
      tale: { ...tour, scenes: [declaring, changing, sameStory] },
      prepare: slack => slack.fail('chat.update', { error: 'cant_update_message' }, { times: 1000 }),
    });
    expect(success).toBe(false);
    expect(text).toContain('✗   Card, topic and announcement in Slack say what the API says.');
  },
  patience,
);
