import { injections, lookAlikes, refusalOf, unspoken } from './checks.ts';
import { watchRenderers } from './renderers.ts';

/*
 * Plays the life with the words of a seed, and prints what is wrong with what Muster showed, as JSON. It runs in a process of its own: only Node’s own loader tells which renderers ran.
 */
const watch = await watchRenderers();
// Loaded only now, so that what runs while it is loaded counts.
const { openStage } = await import('./stage.ts');
const { live } = await import('./life.ts');
const { hostileWording } = await import('./wording.ts');

const seed = Number(process.argv[2]);
await using stage = await openStage(hostileWording(seed));
await live(stage);
const { readings, slack, lost, errors } = stage;
const problems = new Set<string>();
for (const reading of readings) {
  const where = `${reading.chapter}, ${reading.act.slice(0, 60)}, ${reading.reader}`;
  for (const found of injections(reading)) problems.add(`${where}: ${found}`);
  for (const found of lookAlikes(reading)) problems.add(`${where}: ${found}`);
  const missing = unspoken(reading);
  if (missing.length > 0)
    problems.add(`${where}: its text lacks ${missing.slice(0, 20).join(', ')}: ${reading.text.slice(0, 200)}`);
}
for (const { method, response } of slack.calls) {
  const refusal = refusalOf(response);
  if (refusal !== undefined) problems.add(`${method}: ${refusal}`);
}
const report = {
  count: readings.length,
  problems: [...problems],
  idle: await watch.idle(),
  lost,
  errors,
};
process.stdout.write(`${JSON.stringify(report)}\n`);
