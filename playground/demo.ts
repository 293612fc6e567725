import type { Deadlines } from '../src/deadlines.ts';
import { addPeopleAndChannels, announceChannel, openCast } from './cast.ts';
import { openChecks } from './checks.ts';
import type { FakeSlack } from './fake-slack/fake-slack.ts';
import { countDuplicates, openObserver } from './observer.ts';
import { bystander } from './stories/bystander.ts';
import { oneIncident } from './stories/one-incident.ts';
import type { Story, Tale } from './story.ts';
import { startDemoSystem } from './system.ts';
import { openTranscript } from './transcript.ts';

/** How a demo may differ from the usual. */
export interface DemoOptions {
  /** Runs before anybody does anything. A test makes the fake Slack fail here. */
  readonly prepare?: (slack: FakeSlack) => void;
  /** What is played; absent: one incident. */
  readonly tale?: Tale;
  /** Absent: those of Muster. */
  readonly deadlines?: Deadlines;
  /** Whether the fake Slack limits the rate of calls; absent: true. */
  readonly rateLimits?: boolean;
}

/** One incident, and then the whole of it as a terminal shows it. */
const readAfterwards: Tale = { ...oneIncident, scenes: [...oneIncident.scenes, bystander] };

/** When the story begins: on a Saturday night. */
const start = new Date('2026-03-14T02:07:00Z');

/**
 * Plays a tale and writes down what people type and see, in lines of at most 100 columns. Everything is real but Slack:
 * signed requests over HTTP, the bot, the client, the embedded service and its database file. Resolves to whether every check
 * passed. Throws when Muster cannot start.
 */
export async function playTale(write: (text: string) => void, options: DemoOptions = {}): Promise<boolean> {
  const { title, introduction, scenes, settings } = options.tale ?? readAfterwards;
  const { deadlines, rateLimits } = options;
  const populate = addPeopleAndChannels;
  await using system = await startDemoSystem({ start, announceChannel, settings, populate, deadlines, rateLimits });
  const { slack } = system;
  options.prepare?.(slack);
  const transcript = openTranscript(write);
  const checks = openChecks(transcript, system);
  const cast = openCast({ system, transcript, observe: openObserver(slack) });
  const story: Story = { system, declared: [], cast, check: checks.check, transcript };
  transcript.opening(title, introduction);
  for (const scene of scenes) await scene(story);
  const duplicates = countDuplicates(slack);
  await checks.check('Muster posted no message to everybody twice, and logged no error.', {
    within: 0,
    look: expect => {
      expect(duplicates === 0, `no message to everybody twice, and ${duplicates} were`);
      for (const error of system.errors) expect(false, `no error in the log, and there was “${error}”`);
    },
  });
  const calls = slack.calls.filter(each => each.method !== 'response_url').length;
  const { count, failed } = checks;
  transcript.closing(failed === 0, [
    `${count - failed} of ${count} checks passed. ${duplicates} messages to everybody were duplicates.`,
    `Muster made ${calls} calls of Slack’s Web API, from the start to the end.`,
    '`npm run demo` opens a workspace to play in. One of its stories calls and pages people, and reminds them of what they owe.',
    'Next: `npm start` runs Muster in your Slack. README.md lists the settings it needs. `npm test` puts the same parts through ' +
      'retries, double clicks and outages.',
  ]);
  return failed === 0;
}
