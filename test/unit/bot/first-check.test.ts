import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { openFakeSlack } from '../../../playground/fake-slack/fake-slack.ts';
import { FirstCheck } from '../../../src/bot/first-check.ts';
import { RpcError } from '../../../src/contract/errors.ts';
import { patient } from '../../support/deadlines.ts';

const clock = () => new Date('2026-11-23T12:00:00Z');

async function openLook(announce: 'alerts' | 'nowhere') {
  const slack = await openFakeSlack();
  onTestFinished(() => slack[Symbol.asyncDispose]());
  const alerts = slack.addChannel({ name: 'alerts', botIsMember: true });
  const messages: string[] = [];
  const later: (() => void)[] = [];
  const api = { refusal: undefined as RpcError | undefined };
  const answer = async () => {
    if (api.refusal) throw api.refusal;
    return { error: '', roles: [] };
  };
  const look = new FirstCheck({
    installation: {
      announceChannel: announce === 'alerts' ? alerts.id : 'C0NOWHERE',
      slackApiUrl: slack.apiUrl,
      botToken: slack.botToken,
      deadlines: patient(),
    },
    grafana: {
      RolesService: { GetRoles: answer },
      IncidentsService: { UpdateIncidentIsDrill: () => Promise.reject(new RpcError('not_found', 'none')) },
    },
    timers: {
      after: (_ms, run) => {
        later.push(run);
        return () => void later.splice(later.indexOf(run), 1);
      },
    },
    log: pino({ level: 'info' }, { write: line => void messages.push(JSON.parse(line).msg) }),
    clock,
  });
  onTestFinished(() => look[Symbol.dispose]());
  return { look, api, messages, later };
}

test('what is well is neither logged nor looked at again', async () => {
  const { look, messages, later } = await openLook('alerts');
  await look.start();
  expect([look.faults, messages, later]).toEqual([[], [], []]);
});

test('a refused token and a channel that is not there are one warning each, with what to do', async () => {
  const { look, api, messages, later } = await openLook('nowhere');
  api.refusal = new RpcError('unauthenticated', 'no');
  await look.start();
  expect(messages).toEqual([
    expect.stringMatching(/^start: API token: The API refuses it: .* GRAFANA_TOKEN/),
    expect.stringMatching(
      /^start: announcement channel: Slack does not show C0NOWHERE: channel_not_found\. .* ANNOUNCE_CHANNEL/,
    ),
  ]);
  expect(look.faults).toMatchObject([
    { subject: 'API token', since: clock() },
    { subject: 'announcement channel', since: clock() },
  ]);
  api.refusal = undefined;
  later.shift()?.();
  await expect.poll(() => look.faults).toHaveLength(1);
  expect(messages.slice(2)).toEqual(['start: API token: it is well again']);
  expect(later, 'the channel is looked at again').toHaveLength(1);
});

test('once stopped it neither logs nor looks again', async () => {
  const { look, messages, later } = await openLook('nowhere');
  const looking = look.start();
  look[Symbol.dispose]();
  await looking;
  expect([messages, later]).toEqual([[], []]);
});
