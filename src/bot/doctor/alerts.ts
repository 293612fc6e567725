import { type Finding, failing, ok, unknown } from './finding.ts';
import type { Installation } from './installation.ts';
import type { SeenAlert, Sightings } from './sightings.ts';

/** Whether each source's alerts arrive, by its newest delivery. */
export async function checkAlerts(
  { alertSources, publicUrl }: Pick<Installation, 'alertSources' | 'publicUrl'>,
  sightings: Pick<Sightings, 'lastAlerts'>,
): Promise<readonly Finding[]> {
  if (alertSources.length === 0) {
    const found = 'ALERTS is not set, so Muster takes no alerts of a monitoring tool; docs/alerts.md says how it does.';
    return [ok('alerts', found)];
  }
  return await Promise.all(
    alertSources.map(async source =>
      judge(source, publicUrl || 'https://<muster>', await sightings.lastAlerts(source)),
    ),
  );
}

function judge(source: string, publicUrl: string, last: ReadonlyMap<SeenAlert, Date>): Finding {
  const subject = `alerts of ${source}`;
  const address = `${publicUrl}/hooks/alerts/${source}`;
  const stops = `the alerts of ${source}: none becomes an incident`;
  const [stored, unreadable, strange] = [last.get('stored'), last.get('refused_body'), last.get('refused_token')];
  const before = stored ? ` The newest that was stored came at ${stored.toISOString()}.` : ' None was stored before.';
  if (isNewer(unreadable, stored)) {
    const found = `A delivery at ${unreadable.toISOString()} could not be read as an alert.${before}`;
    const fix = `The log says what it lacks: look for “alerts:” with the source ${source}. Correct the tool’s body, or its paths in ALERTS_SOURCES (docs/alerts.md).`;
    return failing(subject, found, stops, fix);
  }
  if (isNewer(strange, stored)) {
    const found = `A request at ${strange.toISOString()} had no token of ${source}, or another one.${before}`;
    const fix = `Give the tool the token that ALERTS has for ${source}, and let the tool send a test.`;
    // The address is open to strangers, so a request alone does not prove that the tool is refused.
    return stored ? unknown(subject, found, `${stops}, if it was the tool`, fix) : failing(subject, found, stops, fix);
  }
  if (stored) return ok(subject, `They arrive, the newest at ${stored.toISOString()}.`);
  const found = `Nothing has arrived at ${address} yet.`;
  const fix = `Type “muster alerts test --source ${source}” in a shell, then let the tool send a test (docs/alerts.md).`;
  return unknown(subject, found, stops, fix);
}

function isNewer(at: Date | undefined, than: Date | undefined): at is Date {
  return at !== undefined && at.getTime() > (than?.getTime() ?? 0);
}
