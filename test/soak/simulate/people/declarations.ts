import { severities } from './changes.ts';
import type { Declared } from './crowd.ts';
import type { Desk } from './desk.ts';

/** Declares an incident, at once or with a form. */
export async function declare(desk: Desk): Promise<void> {
  const mark = desk.crowd.nextMark();
  const isPrivate = desk.random.chance(0.1);
  if (isPrivate) desk.world.witness.readers.declaredPrivate.add(mark);
  const isCommander = desk.random.chance(0.2);
  if (isCommander) desk.crowd.roles.add(`${mark} commander ${desk.person.id}`);
  const flags = [
    `--severity ${desk.random.pick(severities)}`,
    ...(desk.random.chance(0.15) ? ['--drill'] : []),
    ...(isPrivate ? ['--private'] : []),
    ...(isCommander ? ['--commander'] : []),
  ].join(' ');
  const isForm = desk.random.chance(0.3);
  const line = `/incident declare ${mark} checkout is down ${flags}${isForm ? '' : ' --now'}`;
  if (isForm) {
    await desk.do({ kind: 'ask for a form', what: line }, () => desk.person.command('general', line));
    await desk.world.time.pause(desk.random.whole(1500, 5000));
    if (!JSON.stringify(desk.person.view?.blocks ?? '').includes(`${mark} `)) return;
    desk.crowd.declared.push({ mark, isPrivate });
    await desk.do({ kind: 'declare', what: `submits the form of ${mark}`, mark, incident: mark }, () =>
      desk.random.chance(0.3) ? desk.person.submitTwice() : desk.person.submit(),
    );
    return;
  }
  desk.crowd.declared.push({ mark, isPrivate });
  await desk.do({ kind: 'declare', what: line, mark, incident: mark }, () => desk.person.command('general', line));
}

/** Outside, without saying which: presses the incident that is meant. */
export async function pickIncident(desk: Desk, incident: Declared): Promise<void> {
  const { time, slack } = desk.world;
  if (desk.idOf(incident) === '') return;
  const mark = desk.crowd.nextMark();
  const line = `/note add ${mark} where does it belong`;
  const asked = await desk.do({ kind: 'look', what: line, mark }, () => desk.person.command('general', line));
  await time.pause(2000);
  if (asked.answers.length === 0) return;
  const message = desk.person.sees(slack.channel('general')).findLast(each => JSON.stringify(each).includes(mark));
  const text = JSON.stringify(message?.blocks ?? []);
  const button = new RegExp(`"text":"(#\\d+ [^"]*\\b${incident.mark}\\b[^"]*)"`).exec(text)?.[1];
  if (!message || !button) return;
  const press = () => desk.person.press(message, button);
  await desk.do({ kind: 'pick', what: `presses “${button}”`, mark, incident: incident.mark }, () =>
    desk.random.chance(0.3) ? Promise.all([press(), press()]) : press(),
  );
}
