import { type Finding, failing, ok, unknown } from './finding.ts';
import type { Sightings } from './sightings.ts';
import { toMinute } from './tokens.ts';

/** How long ago a command may have arrived last to be known as ours, in milliseconds. */
const stillOurs = 7 * 24 * 60 * 60_000;

/** The commands to look at. */
export interface WantedCommands {
  /** With their slashes. */
  readonly names: readonly string[];
  readonly commandRoot: string;
  /** A person was asked to type those that had not arrived, and says that they did. */
  readonly typed: boolean;
  readonly now: Date;
}

/**
 * Whether each slash command reaches Muster. Slack gives a command to the app that was installed last under that name (docs/slack.md
 * 4) and tells nobody; only a command that arrives proves that it is ours.
 */
export async function checkCommands(wanted: WantedCommands, sightings: Sightings): Promise<readonly Finding[]> {
  const seen = await sightings.all();
  return wanted.names.map(name => {
    const subject = `command ${name}`;
    const last = seen.get(subject);
    const stops = `${name} …; “/${wanted.commandRoot} ${name.slice(1)} …” and a mention of the bot do the same`;
    const { typed, now } = wanted;
    if (last && now.getTime() - last.getTime() < stillOurs) {
      return ok(subject, `It reaches Muster; the last one noted came ${toMinute(last)}.`);
    }
    if (typed) {
      return failing(
        subject,
        `It was typed and did not reach Muster: another app has taken ${name}, or this app does not have it.`,
        name === `/${wanted.commandRoot}` ? `${name} …; a mention of the bot does the same` : stops,
        `An administrator removes the other app or its command. Then paste “muster manifest” into the app’s App Manifest and reinstall it: Slack gives a command to the app that was installed last.`,
      );
    }
    return unknown(
      subject,
      last
        ? `The last one noted came ${toMinute(last)}.`
        : 'None has arrived yet, and Slack does not tell whose it is.',
      stops,
      `Type “${name} help” in Slack. If Muster does not answer, another app has taken it, or this app does not have it.`,
    );
  });
}
