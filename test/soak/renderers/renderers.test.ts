import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { isLong } from '../../support/length.ts';
import { injections, lookAlikes, unspoken } from '../../support/readings/checks.ts';
import { findRenderers } from '../../support/readings/renderers.ts';

interface Report {
  readonly count: number;
  readonly problems: readonly string[];
  readonly idle: readonly string[];
  readonly lost: readonly string[];
  readonly errors: readonly string[];
}

const main = fileURLToPath(new URL('../../support/readings/main.ts', import.meta.url));

async function liveWith(seed: number): Promise<Report> {
  const args = ['--disable-warning=ExperimentalWarning', main, String(seed)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 64 * 1024 * 1024 });
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
}

/** Renderers that the life does not reach, and why. */
const exempt: Readonly<Record<string, string>> = {
  'features/me/doctor.ts, toUnknownBlocks': 'a server whose findings are neither well, nor failures, nor unseen events',
  'dispatch/answers/waiting-offer.ts, readWaitingOffer':
    'an offer that somebody has taken a moment ago; it says nothing of a person’s',
  'features/declare/intents.ts, declareIncident': 'pages that Slack guards: their button below the receipt',
  'features/role/intents.ts, handOverRole':
    'somebody else got the role meanwhile: test/unit/bot/features/role/handover.test.ts has it',
  'features/update/feature.ts, postUpdate':
    'words that begin with a stage of the end, such as “mitigated”; test/unit/bot/features/update/begun.test.ts has it',
  'dispatch/answers/receipts.ts, apology': 'a fault of Muster itself; it says nothing of a person’s',
  'inbox/listen.ts, answerApp': 'the mention of an app; test/unit/bot/features/messages/direct-message.test.ts has it',
  'inbox/inbox.ts, notTakenWords': 'more than the memory holds; test/unit/bot/inbox/inbox.test.ts has it',
  'alerts/refusals.ts, tellOfRefusal': 'a body that is no alert; test/stories/alerts.test.ts has it',
  'inbox/inbox.ts, tooOld': 'a process that was dead for an hour; test/unit/bot/inbox/inbox.test.ts has it',
  'features/page/feature.ts, openPage':
    'pages that Slack guards, which test/stories/pages-slack.test.ts has; it says nothing of a person’s',
  'features/page/feature.ts, page': 'pages that Slack guards: their button on the home tab',
  'dispatch/answers/receipts.ts, failedWords':
    'a change with which two processes hung; test/soak/processes/poison.test.ts has it, and it says nothing of a person’s',
  'inbox/inbox.ts, Inbox': 'a delivery with which two processes hung; test/unit/bot/inbox/inbox.test.ts has it',
  'features/dash/link.ts, runLink': 'a time beside another page’s address; test/stories/typed-at-night.test.ts has it',
  'slack/source-message.ts, toSourceMessage':
    'the place of a deleted message, whose blocks are none; test/unit/bot/slack/source-message.test.ts has it',
};

/** The words of each life. */
const seeds = isLong ? [1, 2] : [1];

test.each(seeds)(
  'whatever people write, Slack takes what Muster shows, it formats and mentions nothing, and `text` has every fact: seed %i',
  async seed => {
    const { count, problems, idle, lost, errors } = await liveWith(seed);
    expect(problems).toEqual([]);
    expect(lost).toEqual([]);
    expect(errors).toEqual([]);
    expect(idle.filter(name => exempt[name] === undefined)).toEqual([]);
    expect(count).toBeGreaterThan(800);
  },
);

test('the renderers are found in the code, and each that the life does not reach is one of them', () => {
  const names = findRenderers().map(each => each.name);
  for (const known of [
    'incident/board/card-view.ts, partsBlocks',
    'features/task/list.ts, taskRow',
    'dispatch/command/help.ts, help',
  ])
    expect(names).toContain(known);
  for (const name of Object.keys(exempt)) expect(names).toContain(name);
});

const reading = { chapter: '', act: '', at: 0, thing: '', reader: 'room', look: '', blocks: [] };
const section = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text } });

test.each([
  'other ‡*†bold†*‡ word',
  '*Task other ‡*† word',
  'word <!channel>',
  'word <@U0EVIL0001>',
  'word <!subteam^S0EVIL0001>',
  'word <https://evil.invalid|click>',
  'word\n> †quoted† word\n',
  'type `/role assign word <!date^00000000^{_}|*>`',
])('what a person’s text would do is seen: %s', text => {
  expect(injections({ ...reading, text: '', blocks: [section(text)] })).not.toEqual([]);
  expect(injections({ ...reading, text })).not.toEqual([]);
  expect(injections({ ...reading, reader: 'form', text: 'A form', blocks: [section('*Task* other')] })).toEqual([]);
});

test('buttons that look the same and cannot be told apart are seen', () => {
  const row = (...labels: readonly string[]) => ({
    type: 'actions',
    elements: labels.map(label => ({
      type: 'button',
      text: { type: 'plain_text', text: 'Delete' },
      ...(label === '' ? {} : { accessibility_label: label }),
    })),
  });
  const found = (...blocks: ReturnType<typeof row>[]) => lookAlikes({ ...reading, text: '', blocks });
  expect(found(row(''))).toEqual([]);
  expect(found(row('Delete task 1'), row('Delete task 2'))).toEqual([]);
  expect(found(row('Delete task 1'), row('Delete task 1'))).toHaveLength(1);
  expect(found(row('Delete task 1'), row(''))).toHaveLength(1);
  expect(found(row('x'.repeat(76)))).toHaveLength(1);
});

test('a fact that the text lacks is seen', () => {
  const blocks = [
    section('*Severity* major, _since_ noon'),
    { type: 'context', elements: [{ type: 'mrkdwn', text: 'by <@U1>' }] },
  ];
  expect(unspoken({ ...reading, text: 'Severity major', blocks })).toEqual(['since', 'noon', 'by', 'u1']);
  expect(unspoken({ ...reading, text: 'Severity major since noon by <@U1>', blocks })).toEqual([]);
});
