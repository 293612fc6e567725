import type { Tale } from '../story.ts';
import { alert, declareByForm } from './declaring.ts';
import { resolve, severity, timeline } from './ending.ts';
import { dashboard, thread } from './evidence.ts';
import { roles, tasks } from './working.ts';

/** One incident, from the alert to the end. */
export const oneIncident: Tale = {
  title: 'Muster plays one incident',
  introduction: [
    'Muster runs incidents from Slack. This is one incident, from the alert to the end: Alice is on call for a web shop, Bob runs ' +
      'the incident, Carol talks with customers.',
    'Everything here is real but Slack. A stand-in for Slack sends signed requests over HTTP to the bot that you would run, and ' +
      'refuses what breaks Slack’s published limits. Behind the bot are its API client and the incident service on a database ' +
      'file, which the demo removes at the end.',
    'A line with a time says what somebody does; the lines below it say who sees what. [Brackets] are buttons and fields. When a ' +
      'message changes, you read only the lines that changed. ✓ marks an effect that the demo has checked. All times are UTC; the ' +
      'clock jumps, so 40 minutes take a few seconds.',
  ],
  scenes: [alert, declareByForm, roles, tasks, thread, dashboard, severity, resolve, timeline],
  plot: [
    'Monitoring sends an alert, and Muster offers it in #incidents.',
    'Alice writes in #checkout that she sees it too.',
    'Bob presses Declare. The form holds what the alert says.',
    'Bob asks for the rest of the form.',
    'Bob adds a title, a label and the start to the form, and declares.',
    'The alert comes again. There is no second incident.',
    'Bob takes command.',
    'Alice joins the incident’s channel.',
    'Carol joins the incident’s channel.',
    'Alice becomes investigator.',
    'Bob gives Alice a task: roll the release back.',
    'Bob gives Carol a task: the status page.',
    'Alice lists the tasks.',
    'Alice finishes hers with its button.',
    'Alice asks whether paying works again.',
    'Carol answers in the thread.',
    'Bob puts Carol’s answer on the timeline, with the message’s menu.',
    'Bob does it once more: nothing is added twice.',
    'Bob links a dashboard, with the time of the incident.',
    'Bob raises the severity to major.',
    'Monitoring says that the alert ended. The room reads it.',
    'Bob presses Resolve. One task is still open.',
    'Bob says what ended it, and resolves.',
  ],
};
