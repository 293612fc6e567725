import { askSlack } from '../slack/ask-slack.ts';
import { isPassingWord } from '../slack/clients.ts';
import { type Finding, failing, ok, unknown } from './finding.ts';
import type { Installation } from './installation.ts';
import type { Sightings } from './sightings.ts';
import { type SlackView, textOf } from './slack-view.ts';

/** Where an operator finds what belongs to the app. */
export const appPage = 'https://api.slack.com/apps';

const everything = 'everything in Slack: nobody gets an answer, no card is written';
const arrivals = 'all that people do in Slack: nothing of it arrives';

/** Whether Slack takes the bot's token. */
export function checkBotToken({ auth, teams }: SlackView): Finding {
  const subject = 'bot token';
  if (auth.error === '') {
    const where = teams ? 'organisation' : 'workspace';
    return ok(subject, `Slack knows it: ${textOf(auth.body, 'user')} in the ${where} ${textOf(auth.body, 'team')}.`);
  }
  if (auth.error === 'unreachable') {
    return failing(
      subject,
      'Slack does not answer.',
      everything,
      'Check this machine’s network, its proxy, and SLACK_API_URL if it is set.',
    );
  }
  return failing(
    subject,
    `Slack refuses it: ${auth.error}.`,
    everything,
    `Install the app again at ${appPage} (Install App), put its Bot User OAuth Token into SLACK_BOT_TOKEN, and start Muster again.`,
  );
}

/** Whether Slack takes messages now: it may fail those, and answer all else. The question posts nothing, since it names no channel. */
export async function checkMessages(installation: Installation, { auth }: SlackView): Promise<Finding> {
  const subject = 'messages';
  if (auth.error !== '')
    return unknown(subject, 'The bot token does not work.', everything, 'Fix the bot token first.');
  const { error } = await askSlack(installation, installation.botToken, 'chat.postMessage');
  if (!isPassingWord(error)) return ok(subject, 'Slack takes them.');
  return failing(
    subject,
    `Slack does not take them now: ${error}.`,
    'answers, lines and cards: people read nothing',
    'Look at https://slack-status.com, and whether a proxy stands between. Muster posts what is kept when Slack takes it.',
  );
}

/** Whether Slack takes the token of Socket Mode, and whether it is of the bot's app. */
export async function checkAppToken(installation: Installation, facts: SlackView): Promise<Finding> {
  const subject = 'app token';
  const { mode } = installation;
  if (mode.kind !== 'socket') return ok(subject, 'None is needed: Slack calls Muster over HTTP.');
  const { error } = await askSlack(installation, mode.appToken, 'apps.connections.open');
  const make = `At ${appPage}, Basic Information, App-Level Tokens: make one with the scope connections:write, and put it into SLACK_APP_TOKEN.`;
  if (error === 'unreachable') {
    return unknown(subject, 'Slack does not answer.', arrivals, 'Run the doctor again when the bot token works.');
  }
  if (error !== '') return failing(subject, `Slack refuses it: ${error}.`, arrivals, make);
  const appId = /^xapp-\d+-(A[A-Z0-9]+)-/.exec(mode.appToken)?.[1] ?? '';
  if (appId !== '' && facts.appId !== '' && appId !== facts.appId) {
    return failing(
      subject,
      `It belongs to the app ${appId}, and the bot token to the app ${facts.appId}.`,
      'what people do with the bot’s own app: Muster hears another app',
      `${make} Take it from the app ${facts.appId}.`,
    );
  }
  return ok(subject, 'Slack opens connections with it.');
}

/** Whether signed requests of Slack have arrived, which proves the signing secret: Slack has no call that tests it. */
export async function checkSigningSecret({ mode }: Installation, sightings: Sightings): Promise<Finding> {
  const subject = 'signing secret';
  if (mode.kind === 'socket') return ok(subject, 'None is needed: Muster opens the connection itself.');
  const last = await sightings.lastDelivery();
  if (last) return ok(subject, `Slack’s requests fit it; the last one noted came ${toMinute(last)}.`);
  return unknown(
    subject,
    'No request of Slack’s that fits it has arrived yet. Only a request can prove it.',
    arrivals,
    `Type a command in Slack. If nothing answers and the log says “The signature does not fit”, copy Signing Secret from ${appPage}, Basic Information, into SLACK_SIGNING_SECRET.`,
  );
}

/** A time for people, in UTC to the minute. */
export function toMinute(time: Date): string {
  return `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
