import { events, scopes } from '../slack/permissions.ts';
import { type Finding, failing, ok, unknown } from './finding.ts';
import type { Sightings } from './sightings.ts';
import type { SlackView } from './slack-view.ts';
import { appPage, toMinute } from './tokens.ts';

/** Whether Slack grants each scope of the manifest. One line for all that are granted. */
export function checkScopes({ auth }: SlackView): readonly Finding[] {
  const granted = auth.scopes;
  if (auth.error !== '' || granted === undefined) {
    const fix = 'Run the doctor again when the bot token works.';
    return [unknown('scopes', 'Slack does not tell which scopes it grants.', 'what needs a missing scope', fix)];
  }
  const missing = scopes.filter(each => !granted.includes(each.name));
  const well = ok(
    'scopes',
    `Slack grants ${scopes.length - missing.length} of the ${scopes.length} that Muster can use.`,
  );
  return [
    ...missing.map(each =>
      failing(
        `scope ${each.name}`,
        `Slack does not grant it${each.tier === 'base' ? ', and Muster cannot run incidents without it' : ''}.`,
        each.use,
        `At ${appPage}, OAuth & Permissions, Bot Token Scopes: add ${each.name}, then Install App → Reinstall.`,
      ),
    ),
    ...(missing.length === scopes.length ? [] : [well]),
  ];
}

/**
 * Whether each event of the manifest arrives. Slack tells a bot nothing about its subscriptions: an event that has arrived proves
 * one, a missing scope rules it out, and otherwise it stays unknown.
 */
export async function checkEvents({ auth }: SlackView, sightings: Sightings): Promise<readonly Finding[]> {
  const seen = await sightings.all();
  return events.map(each => {
    const subject = `event ${each.name}`;
    const missing = auth.scopes && each.needs.find(name => !auth.scopes?.includes(name));
    if (missing) {
      return failing(
        subject,
        `Slack does not send it without the scope ${missing}.`,
        each.use,
        `Add ${missing} first.`,
      );
    }
    const last = seen.get(subject);
    if (last) return ok(subject, `It arrives; the last one noted came ${toMinute(last)}.`);
    return unknown(
      subject,
      'None has arrived yet, and Slack does not tell a bot whether it is subscribed.',
      each.use,
      subscribe(each.name),
    );
  });
}

/** The clicks that subscribe an app to an event. */
export function subscribe(name: string): string {
  return `At ${appPage}, Event Subscriptions, Subscribe to bot events: ${name} must be there. If it is not, add it, then Install App → Reinstall.`;
}
