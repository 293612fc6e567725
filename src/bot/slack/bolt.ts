import bolt from '@slack/bolt/dist/App.js';
import socketMode from '@slack/bolt/dist/receivers/SocketModeReceiver.js';
import * as webApi from '@slack/web-api';

/*
 * The parts of Bolt that Muster runs, each from its own file: the package's index also loads Express and the receivers for
 * it and for Lambda, a third of the time that Bolt takes to load.
 */

/** Bolt's app. */
export const App = bolt.default;
/** Names of what Bolt logs. */
export const { LogLevel } = bolt;
/** Bolt's receiver over a WebSocket. */
export const SocketModeReceiver = socketMode.default;
/** Slack's client of its Web API. */
export const WebClient = webApi.WebClient;
export type WebClient = webApi.WebClient;
