import type { Random } from '../simulate/random.ts';

const titles = [
  'Checkout is slow',
  'Login fails',
  'The <queue> & its *backlog* grow',
  'Prices are wrong',
  'Ünïcode breaks',
];
const notes = [
  'It is the cache, says `checkout-7`',
  'Rolled back to release 41',
  'The *index* is being built :hourglass:',
  'A customer wrote: "nothing works" <https://example.com/ticket/7?a=1&b=2>',
  'Looking at the database with @bob, see #checkout',
];
const severities = ['critical', 'major', 'minor', 'pending', 'enormous'];
const people = ['@alice', '@bob', '@carol', 'me', '@nobody'];
const roles = ['commander', 'investigator', 'observer', 'juggler'];
const times = ['20m ago', '14:05', 'yesterday 23:50', 'soon'];

/** What somebody might type as a command: mostly good, at times wrong. */
export function typedCommand(random: Random): string {
  const number = String(random.whole(1, 24));
  const task = String(random.whole(1, 4));
  return random.pick([
    `/incident declare ${random.pick(titles)} --now --severity ${random.pick(severities)}`,
    `/incident declare ${random.pick(titles)} --now`,
    `/muster declare ${random.pick(titles)}`,
    `/incident declare ${random.pick(titles)} --private --now`,
    `/incident declare ${random.pick(titles)} --drill --now --label shop`,
    '/incident status',
    `/incident status ${number}`,
    '/incident list',
    '/incident list status:active',
    `/incident severity ${random.pick(severities)}`,
    '/incident severity',
    `/incident title ${random.pick(titles)} again`,
    `/incident label ${random.pick(['shop', 'database', 'eu-west'])}`,
    `/incident unlabel ${random.pick(['shop', 'database'])}`,
    `/incident drill ${random.pick(['on', 'off'])}`,
    `/incident started ${random.pick(times)}`,
    `/incident receipts ${random.pick(['channel', 'thread', 'quiet'])}`,
    '/incident timeline',
    '/incident resolve',
    `/incident resolve ${random.pick(notes)} --now`,
    '/incident reopen',
    `/incident link ${number}`,
    '/incident unlink',
    '/incident whoami',
    `/task add ${random.pick(notes)} ${random.pick(people)}`,
    `/task add Look at the logs`,
    '/task list',
    '/task',
    `/task ${random.pick(['done', 'start', 'reopen', 'unassign', 'delete'])} ${task}`,
    `/task assign ${task} ${random.pick(people)}`,
    `/task edit ${task} ${random.pick(notes)}`,
    `/role assign ${random.pick(people)} ${random.pick(roles)}`,
    `/role unassign ${random.pick(people)} ${random.pick(roles)}`,
    '/role list',
    '/role assign',
    `/note ${random.pick(notes)}`,
    `/note add ${random.pick(notes)} --at ${random.pick(times)}`,
    '/note list',
    '/dash recent',
    '/dash home',
    '/dash link nowhere',
    '/muster help',
    '/muster doctor',
    '/task help',
    '/nonsense',
  ]);
}

/** What somebody might write, in a message or in a field. */
export function typedWords(random: Random): string {
  return random.pick([
    ...titles,
    ...notes,
    'ok',
    `${random.whole(1, 999)}`,
    '@muster help',
    '@muster task add From a mention',
  ]);
}
