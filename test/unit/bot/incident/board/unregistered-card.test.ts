import { expect, test } from 'vitest';
import { declaredWords } from '../../../../../src/bot/incident/board/unregistered-card.ts';
import { DeclaredIncident } from '../../../../../src/bot/incident/state/declared-incident.ts';
import { maxTitle } from '../../../../../src/contract/incidents.ts';

test('the spoken text of an incident that is not registered has its whole title, as the card does', () => {
  const title = `${'The checkout answers 500. '.repeat(18)}In Europe`;
  expect(title.length).toBeLessThanOrEqual(maxTitle);
  const declared = DeclaredIncident.parse({
    ...{ incidentID: 'new-1', title, severity: 'pending', isDrill: false, labels: [] },
    ...{ declaredAt: '2026-11-20T12:15:00.000Z', declaredBy: 'U1' },
  });
  const { text, blocks } = declaredWords(declared, {
    ...{ hint: true, channelId: 'C1', severities: ['pending', 'minor'], api: 'Grafana', buttons: [] },
  });
  expect(JSON.stringify(blocks)).toContain('In Europe');
  expect(text).toContain(`: ${title}\n`);
});
