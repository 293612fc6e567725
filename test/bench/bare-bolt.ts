import { App, HTTPReceiver } from '@slack/bolt';

/*
 * What Muster is measured against: the least Bolt app that checks signatures and acknowledges `/incident`. It is written and
 * run as Muster is, in TypeScript that Node runs as it is.
 */

const { SLACK_BOT_TOKEN = '', SLACK_SIGNING_SECRET = '', SLACK_API_URL = '', PORT, ANSWER = '' } = process.env;

const answer = JSON.parse(ANSWER);
const app = new App({
  token: SLACK_BOT_TOKEN,
  receiver: new HTTPReceiver({ signingSecret: SLACK_SIGNING_SECRET }),
  clientOptions: { slackApiUrl: SLACK_API_URL },
});
app.command('/incident', async ({ ack }) => {
  await ack(answer);
});
await app.start({ port: Number(PORT), host: '127.0.0.1' });
process.once('SIGTERM', () => process.exit());
