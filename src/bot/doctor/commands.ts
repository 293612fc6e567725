import { type Finding, failing, ok, unknown } from './finding.ts';
import type { Sightings } from './sightings.ts';
import { toMinute } from './tokens.ts';

/** How long ago a command may have arrived last to be known as ours, in milliseconds. */
const stillOurs = 7 * 24 * 60 * 60_000;

/** The commands to look at. */
interface WantedCommands {
  /** With their slashes. */
  readonly names: readonly string[];
  readonly commandRoot: string;
  /** A person was asked to type those that had not arrived, and says that they did. */
  readonly typed: boolean;
  readonly now: Date;
}

/**
 * Whether each slash command reaches Muster. Slack gives a command to the app that was installed last under that name (docs/slack.md
 * 4) and tells nobody; only a command that arrives proves that it is ours. Those that are taken share one line: one act fixes all.
 */
export async function checkCommands(wanted: WantedCommands, sightings: Sightings): Promise<readonly Finding[]> {
  const { names, commandRoot, typed, now } = wanted;
  const seen = await sightings.all();
  const isOurs = (last: Date | undefined): last is Date =>
    last !== undefined && now.getTime() - last.getTime() < stillOurs;
  const taken = typed ? names.filter(name => !isOurs(seen.get(subjectOf(name)))) : [];
  const others = names.filter(name => !taken.includes(name));
  return [
    ...(taken.length > 0 ? [takenFinding(taken, commandRoot)] : []),
    ...others.map(name => {
      const last = seen.get(subjectOf(name));
      return isOurs(last)
        ? ok(subjectOf(name), `It reaches Muster; the last one noted came ${toMinute(last)}.`)
        : untypedFinding(name, commandRoot, last);
    }),
  ];
}

const subjectOf = (name: string) => `command ${name}`;

/** Commands that were typed and did not arrive. */
function takenFinding(names: readonly string[], commandRoot: string): Finding {
  const all = names.join(', ');
  const [are, them, have] = names.length === 1 ? ['It was', all, 'it'] : ['They were', 'them', 'them'];
  return failing(
    `${names.length === 1 ? 'command' : 'commands'} ${all}`,
    `${are} typed and did not reach Muster: another app has taken ${them}, or this app does not have ${have}.`,
    whatStops(names, commandRoot),
    'An administrator removes the other app or its command. Then paste “muster manifest” into the app’s App Manifest and reinstall it: Slack gives a command to the app that was installed last.',
  );
}

/** A command that nobody has typed lately. */
function untypedFinding(name: string, commandRoot: string, last: Date | undefined): Finding {
  return unknown(
    subjectOf(name),
    last ? `The last one noted came ${toMinute(last)}.` : 'None has arrived yet, and Slack does not tell whose it is.',
    whatStops([name], commandRoot),
    `Type “${name} help” in Slack. If Muster does not answer, another app has taken it, or this app does not have it.`,
  );
}

/** What does not work without these commands, and what does the same meanwhile. */
function whatStops(names: readonly string[], commandRoot: string): string {
  const root = `/${commandRoot}`;
  const lines = names.map(name => `${name} …`).join(', ');
  if (names.includes(root)) return `${lines}; a mention of the bot does the same`;
  const instead = names.map(name => `“${root} ${name.slice(1)} …”`).join(', ');
  return `${lines}; ${instead} and a mention of the bot do the same`;
}
