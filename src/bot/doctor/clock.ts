import { type Finding, failing, ok, unknown } from './finding.ts';
import type { SlackView } from './slack-view.ts';

/** How far the clock may be off before times in incidents look wrong, in seconds. */
const noticeable = 30;
/** How far it may be off before Slack's requests are refused, in seconds (docs/slack.md 8). */
const refused = 300;

/** Whether this machine's clock agrees with Slack's. */
export function checkClock({ auth, askedAt }: SlackView, mode: 'http' | 'socket'): Finding {
  const subject = 'clock';
  if (!auth.date) {
    const fix = 'Run the doctor again when Slack answers.';
    return unknown(subject, 'Slack did not tell its time.', 'times in incidents, and signatures', fix);
  }
  // Slack tells whole seconds.
  const skew = Math.round((askedAt.getTime() - auth.date.getTime()) / 1000);
  const off = Math.abs(skew);
  if (off <= noticeable) return ok(subject, `It agrees with Slack’s to ${Math.max(1, off)} s.`);
  const found = `It is ${off} s ${skew < 0 ? 'behind' : 'ahead of'} Slack’s.`;
  const stops =
    off > refused && mode === 'http'
      ? 'all that people do in Slack: Muster refuses requests that seem old or from the future; times in incidents are wrong too'
      : 'right times: “now” and “20m ago” in incidents are off by as much';
  return failing(subject, found, stops, 'Set the clock by NTP, for example: timedatectl set-ntp true');
}
