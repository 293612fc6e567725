import type { Complaint, Evidence } from './evidence.ts';

/** Nothing waits forever, and no dead process holds anything. */
export function nothingWaits({ intents, deliveries, world }: Evidence): readonly Complaint[] {
  const unfinished = intents
    .filter(row => row.state === 'pending' || row.state === 'running')
    .map(row => `intent ${row.kind} ${row.id} is still ${row.state} after ${row.attempts} attempts: ${row.outcome}`);
  const due = intents
    .filter(row => (row.state === 'done' || row.state === 'failed') && row.tell !== 'nobody')
    .map(row => `the outcome of intent ${row.kind} ${row.id} was not told: ${row.tell}`);
  const taken = deliveries
    .filter(row => row.state !== 'done')
    .map(row => `delivery ${row.key} is ${row.state} after ${row.attempts} attempts`);
  const away = world.hosts.replicas.filter(each => !each.isOpen).map(each => `${each.name} does not run`);
  return [...unfinished, ...due, ...taken, ...away];
}
