import { type Finding, ok } from './finding.ts';
import type { Installation } from './installation.ts';

/** How soon Slack shows what somebody changes elsewhere. Nothing fails without webhooks: Muster asks the API itself. */
export function checkSync({
  apiKind,
  takesWebhooks,
  publicUrl,
}: Pick<Installation, 'apiKind' | 'takesWebhooks' | 'publicUrl'>): Finding {
  const subject = 'changes made elsewhere';
  if (takesWebhooks) {
    const found =
      'INCIDENT_WEBHOOK_SECRET is set. Slack shows a change within 5 s when a webhook reports it. While webhooks arrive, a task or a note, which none reports, shows within 35 s.';
    return ok(subject, found);
  }
  if (apiKind === 'embedded') {
    const found =
      'Slack shows within 5 s what reaches the API through this Muster, and within 15 s what another process does: Muster asks the API every 10 s.';
    return ok(subject, found);
  }
  const hook = `${publicUrl || 'https://<muster>'}/hooks/incident`;
  return ok(
    subject,
    `INCIDENT_WEBHOOK_SECRET is not set, so Muster asks the API every 10 s, and Slack shows a change within 15 s. For 5 s: in Grafana, Incident → Settings → Integrations → Outgoing webhooks, add one to ${hook} for all events, put its signing secret into INCIDENT_WEBHOOK_SECRET, and start Muster again.`,
  );
}
