import type { FakeSlack } from '../fake-slack/fake-slack.ts';
import { openHands } from './stories/actors.ts';
import type { Play } from './stories/facts.ts';
import { countDuplicates } from './stories/observer.ts';
import { alert, declareByForm } from './stories/scenes/declaring.ts';
import { resolve, severity, timeline } from './stories/scenes/ending.ts';
import { dashboard, thread } from './stories/scenes/evidence.ts';
import { roles, tasks } from './stories/scenes/working.ts';
import { openStage } from './stories/stage.ts';
import { openSteps } from './stories/steps.ts';
import { openTranscript } from './stories/transcript.ts';

/** How a play may differ from the usual. */
export interface PlayOptions {
  /** Called before anybody does anything: the place to let the stand-in for Slack misbehave. */
  readonly prepare?: (slack: FakeSlack) => void;
}

/** When the story begins: a Saturday night. */
const start = new Date('2026-03-14T02:07:00Z');

const scenes: readonly ((play: Play) => Promise<void>)[] = [
  alert,
  declareByForm,
  roles,
  tasks,
  thread,
  dashboard,
  severity,
  resolve,
  timeline,
];

/**
 * Plays one whole incident and writes down what everybody typed and saw, in lines of at most 100 columns. Everything is
 * real but Slack: signed requests over HTTP, the bot, the client, the embedded service and its database file, which is
 * removed afterwards. Resolves to whether every step had its effect. Throws when Muster cannot start.
 */
export async function playIncident(write: (text: string) => void, options: PlayOptions = {}): Promise<boolean> {
  await using stage = await openStage(start);
  options.prepare?.(stage.slack);
  const transcript = openTranscript(write);
  const steps = openSteps(transcript);
  const play: Play = { stage, transcript, steps, hands: openHands(stage, transcript) };
  transcript.opening('Muster plays one incident', [
    'Everything here is real but Slack: a stand-in for Slack sends signed requests over HTTP, as Slack would, to the bot that you ' +
      'would run, with its API client and the embedded incident service on a database file.',
    'You read what people type and do, and what each of them sees. Times are UTC. The story has a clock of its own, so that an ' +
      'hour takes a second.',
  ]);
  for (const scene of scenes) await scene(play);
  const duplicates = countDuplicates(stage.slack);
  await steps.step('Nothing was said twice to everybody, and Muster logged no error.', async expect => {
    expect(duplicates === 0, `no message to everybody twice, and ${duplicates} were`);
    for (const error of stage.errors) expect(false, `no error in the log, and there was “${error}”`);
  });
  const { count, failed } = steps;
  transcript.closing(failed === 0, [
    `${count - failed} of ${count} steps had their effect. ${duplicates} messages to everybody were duplicates.`,
    'Next: `npm start` runs Muster in your Slack. It takes the two or three settings that README.md shows under “Run it”. ' +
      '`npm test` runs the same parts through everything that can go wrong.',
  ]);
  return failed === 0;
}
