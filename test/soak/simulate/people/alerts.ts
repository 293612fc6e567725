import { buttonsOf } from './aftermath.ts';
import type { Desk } from './desk.ts';

/** Presses a button of an offer of alerts: makes an incident of it, with its form, or mutes it. */
export async function actOnAlert(desk: Desk): Promise<void> {
  const { person, random, world } = desk;
  const channel = world.slack.channel(world.settings.announceChannel);
  const offers = desk.enters(channel)
    ? person.sees(channel).filter(each => buttonsOf(each).some(({ label }) => label === 'Mute 1 h'))
    : [];
  if (offers.length === 0) return;
  const message = random.pick(offers);
  const wanted = random.pick(['Declare', 'Declare', 'Declare', 'Mute 1 h']);
  const button = buttonsOf(message).find(each => each.label === wanted);
  if (!button) return;
  const what = `presses “${wanted}” below “${message.text.split('\n', 1)[0]}”`;
  const press = () => person.use(message, button);
  if (wanted !== 'Declare') {
    await desk.do({ kind: 'look', what }, () => (random.chance(0.2) ? Promise.all([press(), press()]) : press()));
    return;
  }
  await desk.do({ kind: 'ask for a form', what }, press);
  await world.time.pause(random.whole(1500, 5000));
  const view = JSON.stringify(person.view?.payload ?? {});
  if (!view.includes('"callback_id":"incident.declare"') || !/\bg\d+ /.test(view)) return;
  const submit = () => (random.chance(0.3) ? person.submitTwice() : person.submit());
  await desk.do({ kind: 'look', what: 'submits the form of an alert' }, submit);
}
