import { type Finding, ok, unknown } from './finding.ts';
import type { Installation } from './installation.ts';
import type { Sightings } from './sightings.ts';

/**
 * How soon Slack shows what somebody changes elsewhere, and whether webhooks arrive where they are set up. Nothing fails without them:
 * Muster asks the API itself.
 */
export async function checkSync(
  { apiKind, takesWebhooks, publicUrl }: Pick<Installation, 'apiKind' | 'takesWebhooks' | 'publicUrl'>,
  sightings: Pick<Sightings, 'lastWebhook'>,
): Promise<Finding> {
  const subject = 'changes made elsewhere';
  const hook = `${publicUrl || 'https://<muster>'}/hooks/incident`;
  const setUp = `in Grafana, Incident → Settings → Integrations → Outgoing webhooks, add one to ${hook} for all events`;
  if (takesWebhooks) {
    const last = await sightings.lastWebhook();
    if (last === undefined) {
      const found = 'INCIDENT_WEBHOOK_SECRET is set, and no webhook has arrived yet.';
      const fix = `Change an incident in Grafana, and ask again. When none arrives: ${setUp}, with that secret as its signing secret.`;
      return unknown(subject, found, 'nothing; but Slack shows a change within 15 s instead of 5 s', fix);
    }
    const found = `Webhooks arrive, the last at ${last.toISOString()}. Slack shows a change within 5 s when a webhook reports it. A task or a note, which none reports, shows within 35 s.`;
    return ok(subject, found);
  }
  if (apiKind === 'embedded') {
    const found =
      'Slack shows within 5 s what reaches the API through this Muster, and within 15 s what another process does: Muster asks the API every 10 s.';
    return ok(subject, found);
  }
  return ok(
    subject,
    `INCIDENT_WEBHOOK_SECRET is not set, so Muster asks the API every 10 s, and Slack shows a change within 15 s. For 5 s: ${setUp}, put its signing secret into INCIDENT_WEBHOOK_SECRET, and start Muster again.`,
  );
}
