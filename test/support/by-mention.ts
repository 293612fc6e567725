import { readList } from './table.ts';

/*
 * Lines that people write to the bot by mention. The words of this file were chosen before the grammar that it holds, and stay: a wrong reading is
 * fixed in the rule.
 */

/** Requests and remarks of reviews and of everyday talk. */
const heard = readList(`
  brief the CEO | post a status update to customers | write the postmortem | update the runbook
  say hello to the team | tag the release | can you resolve this | can you call @sre? | call me when it is fixed
  update the customers please | please update the status page | post it in #general | page the DBA if it gets worse
  close the door please | end of story | open a ticket for this | resolve the ticket first | it is critical to stay calm
  severity is a matter of taste | title it as you like | label everything with care
  tasks for tomorrow are in the wiki | note that down for me | notes are in the doc | take this one, bob
  cancel my meeting at three | wake me at six | brief us in ten minutes | say something | publish it | let us call it a day
  someone should page the network team | we should update our customers soon | finish your lunch first
  the update is wrong | this incident is over, right? | all is well that ends well | nobody called the vendor yet
`);

/** What people ask of one another, by its verb: each verb and synonym of the grammar that is an everyday word, and words of other bots. */
const acts = readList(`
  brief the board | post the figures in the channel | write the report for legal | update the wiki page
  say sorry to the customers | tag the build | close the ticket with the vendor | end the meeting at noon
  finish the migration | resolve the merge conflict | cancel the deploy of Friday | abort the rollout
  complete the form of the vendor | page through the logs | call the vendor about the outage | wake the office manager
  ping the gateway from the bastion | summon the board | log into the bastion | record the session
  open the firewall for the vendor | start the rollback | trigger the pipeline | report the numbers to finance
  raise the limit of connections | create a dashboard for checkout | declare victory | rename the service to payments
  label the boxes in the rack | link the ticket to the release | share the graph with support | give support a hand
  assign the review to somebody | take the node out of the pool | claim the refund | release the lock on the table
  begin the failover | add capacity to the cluster | set the flag to off | make a list of customers
  appoint a deputy | remove the canary from the pool | revoke the token of the vendor | drop the old index
  transfer the domain | replace the disk in rack 4 | hand over the keys to facilities | quit the meeting
  archive the old logs | delete the canary | purge the cache | restore the backup of last night
  import the list of customers | publish the changelog | announce the maintenance window | escalate the ticket at the vendor
  invite legal to the meeting | mitigate the risk of another outage | schedule a review for Monday | remind legal of the contract
`);

/** The ways to say it: asked for, wished for, told. `{later}` is one of the words below. */
const templates = readList(`
  {act} | please {act} {later} | can you {act}? | somebody should {act} {later} | we {act} {later}
`);

const later = readList(`
  before the meeting | when bob is back | as soon as the queue is empty | if nobody objects | after lunch | once it is quiet | today
`);

/** 300 requests and wishes: every act in every way. */
const requests = acts.flatMap((act, row) =>
  templates.map((template, column) =>
    template.replace('{act}', act).replace('{later}', later[(row + column) % later.length] ?? ''),
  ),
);

/** Sentences of talk and requests by mention. None of them changes anything. */
export const talkByMention: readonly string[] = [...heard, ...requests];

/**
 * What people dictate by mention, the act that writes it, and exactly the words that are written. A task is without the person who gets it.
 */
export const dictations: readonly (readonly [line: string, act: string, text: string])[] = [
  // A colon behind the verb.
  ['note: the pool is full', 'note add', 'the pool is full'],
  ['Note: The pool is full.', 'note add', 'The pool is full.'],
  ['note: why is the pool full?', 'note add', 'why is the pool full?'],
  ['note: can somebody look at db-3?', 'note add', 'can somebody look at db-3?'],
  ['note: resolve the ticket at the vendor', 'note add', 'resolve the ticket at the vendor'],
  ['note: update is late', 'note add', 'update is late'],
  ['note: page the DBA if it gets worse', 'note add', 'page the DBA if it gets worse'],
  ['note: add capacity to the cluster', 'note add', 'add capacity to the cluster'],
  ['note: list of hosts: db-1, db-2', 'note add', 'list of hosts: db-1, db-2'],
  ['note: 12:10 failed over', 'note add', '12:10 failed over'],
  ['note: to self, look at the graph tomorrow', 'note add', 'to self, look at the graph tomorrow'],
  ['please note: customers can pay again', 'note add', 'customers can pay again'],
  ['hey, note: 3 of 5 nodes are back', 'note add', '3 of 5 nodes are back'],
  ['add note: the vendor called back', 'note add', 'the vendor called back'],
  ['note add: the vendor called back', 'note add', 'the vendor called back'],
  ['update: we roll back release 1098', 'incident update', 'we roll back release 1098'],
  ['Update: customers can pay again', 'incident update', 'customers can pay again'],
  ['update: is it over? Not yet.', 'incident update', 'is it over? Not yet.'],
  [
    'update: no news, the vendor will call when it is back',
    'incident update',
    'no news, the vendor will call when it is back',
  ],
  ['update: please stand by', 'incident update', 'please stand by'],
  ['update: resolve takes another hour', 'incident update', 'resolve takes another hour'],
  ['update: severity is still major', 'incident update', 'severity is still major'],
  ['please update: half of the orders fail', 'incident update', 'half of the orders fail'],
  ['post: half of the orders fail', 'incident update', 'half of the orders fail'],
  ['task: call legal', 'task add', 'call legal'],
  ['task: check whether the replica is in sync', 'task add', 'check whether the replica is in sync'],
  ['task: done is better than perfect', 'task add', 'done is better than perfect'],
  ['task: who owns the certificate?', 'task add', 'who owns the certificate?'],
  ['task add: restart node 7', 'task add', 'restart node 7'],
  ['add task: restart node 7', 'task add', 'restart node 7'],
  ['title: Checkout answers 500', 'incident title', 'Checkout answers 500'],
  ['title: is the cache cold again?', 'incident title', 'is the cache cold again?'],
  ['summary: the pool of db-3 was full', 'incident summary', 'the pool of db-3 was full'],
  ['summary: nobody can pay when the cache is cold', 'incident summary', 'nobody can pay when the cache is cold'],
  ['label: checkout', 'incident label', 'checkout'],
  ['declare: Checkout is down', 'incident declare', 'Checkout is down'],
  // A colon without a space behind it.
  ['note:the disk is full', 'note add', 'the disk is full'],
  ['Please note:the disk is full', 'note add', 'the disk is full'],
  ['update:we are back', 'incident update', 'we are back'],
  ['task:call legal', 'task add', 'call legal'],
  ['add note:the vendor called back', 'note add', 'the vendor called back'],
  ['title:Checkout answers 500', 'incident title', 'Checkout answers 500'],
  ['note:<https://acme.com/x> is slow', 'note add', 'https://acme.com/x is slow'],
  ['note: update:we are back', 'note add', 'update:we are back'],
  // A flag and a word for help behind a colon, which the verb does not need.
  ['note: run it with --incident 7', 'note add', 'run it with --incident 7'],
  ['task: run it with --incident 7', 'task add', 'run it with --incident 7'],
  ['note: it takes --at', 'note add', 'it takes --at'],
  ['note: it has no --att', 'note add', 'it has no --att'],
  ['title: make fails with --force', 'incident title', 'make fails with --force'],
  ['note: --help says nothing', 'note add', '--help says nothing'],
  ['note: help', 'note add', 'help'],
  ['update: help', 'incident update', 'help'],
  ['update: we are back --next 30m', 'incident update', 'we are back'],
  // Quotes.
  ['note "the pool is full"', 'note add', 'the pool is full'],
  ['note “who restarted it?”', 'note add', 'who restarted it?'],
  ['note «the pool is full»', 'note add', 'the pool is full'],
  ["note 'resolve it'", 'note add', 'resolve it'],
  ['note add "taken"', 'note add', 'taken'],
  ['update "we roll back"', 'incident update', 'we roll back'],
  ['update “all clear from the vendor”', 'incident update', 'all clear from the vendor'],
  ['post "the CEO was briefed"', 'incident update', 'the CEO was briefed'],
  ['title "is down"', 'incident title', 'is down'],
  ['title “Checkout answers 500”', 'incident title', 'Checkout answers 500'],
  ['summary "The cache was cold."', 'incident summary', 'The cache was cold.'],
  ['task add "call legal"', 'task add', 'call legal'],
  ['task "call legal"', 'task add', 'call legal'],
  ['add a task "write the postmortem"', 'task add', 'write the postmortem'],
  ['label "needs a postmortem"', 'incident label', 'needs a postmortem'],
  ['cancel "the probe lied"', 'incident cancel', 'the probe lied'],
  ['reopen "it fails again"', 'incident reopen', 'it fails again'],
  ['note: he said "no" and left', 'note add', 'he said "no" and left'],
  ['note: “no”, he said', 'note add', '“no”, he said'],
  ["note: it's the pool's fault", 'note add', "it's the pool's fault"],
  ['update: the “fast” path is slow', 'incident update', 'the “fast” path is slow'],
  // Flags: no sentence has them.
  ['update we roll back --next 30m', 'incident update', 'we roll back'],
  ['update --severity minor errors fall', 'incident update', 'errors fall'],
  ['update customers can pay again —next 30m', 'incident update', 'customers can pay again'],
  ['note the queue grew --at 20m ago', 'note add', 'the queue grew'],
  ['resolve the pool was full --now', 'incident resolve', 'the pool was full'],
  ['declare Checkout is down --now', 'incident declare', 'Checkout is down'],
  ['declare Checkout is down --severity major', 'incident declare', 'Checkout is down'],
  ['title Checkout is down --incident 7', 'incident title', 'Checkout is down'],
  ['note: they ran it with --force', 'note add', 'they ran it with --force'],
  // `note` and `task` with what is plainly their text.
  ['note once the pool is back we retry', 'note add', 'once the pool is back we retry'],
  ['note the cache was cold at ten', 'note add', 'the cache was cold at ten'],
  ['note if it happens again, fail over', 'note add', 'if it happens again, fail over'],
  ['note when the job ends, db-3 comes back', 'note add', 'when the job ends, db-3 comes back'],
  ['note until noon nobody can pay', 'note add', 'until noon nobody can pay'],
  ['note bob is on the phone with the vendor', 'note add', 'bob is on the phone with the vendor'],
  ['note rolled back to v41', 'note add', 'rolled back to v41'],
  ['note never restart db-3 before the backup', 'note add', 'never restart db-3 before the backup'],
  ['note add the disk of db-3 is full', 'note add', 'the disk of db-3 is full'],
  ['add a note the disk of db-3 is full', 'note add', 'the disk of db-3 is full'],
  ['please note the vendor was called at 12:10', 'note add', 'the vendor was called at 12:10'],
  ['task add call the vendor', 'task add', 'call the vendor'],
  ['add task check the replica', 'task add', 'check the replica'],
  ['task restart the pooler on db-3', 'task add', 'restart the pooler on db-3'],
  ['task fail over to the replica', 'task add', 'fail over to the replica'],
  // Lists and code.
  ['note:\n• db-1 is full\n• db-2 is slow', 'note add', '• db-1 is full\n• db-2 is slow'],
  [
    'note: seen so far\n- 5 % of the orders fail\n- PayPal works',
    'note add',
    'seen so far\n- 5 % of the orders fail\n- PayPal works',
  ],
  [
    'update: what we know\n1. the pool is full\n2. a restart helps',
    'incident update',
    'what we know\n1. the pool is full\n2. a restart helps',
  ],
  ['task: before we leave\ncall legal\nwrite to support', 'task add', 'before we leave\ncall legal\nwrite to support'],
  ['note: `kubectl delete pod db-3` helps', 'note add', '`kubectl delete pod db-3` helps'],
  ['note:\n```\nselect 1;\n  -- slow\n```', 'note add', '```\nselect 1;\n  -- slow\n```'],
  ['note ```ERROR: out of memory```', 'note add', '```ERROR: out of memory```'],
  ['update: `checkout` answers again', 'incident update', '`checkout` answers again'],
  ['note: {"level":"error","msg":"pool is full"}', 'note add', '{"level":"error","msg":"pool is full"}'],
  ['note: errors &gt; 5 % &amp; rising', 'note add', 'errors > 5 % & rising'],
  // People, groups and channels.
  ['note: @bob restarted the pooler', 'note add', '@bob restarted the pooler'],
  ['note: asked @bob about DNS', 'note add', 'asked @bob about DNS'],
  ['update: @bob fails over, next news at noon', 'incident update', '@bob fails over, next news at noon'],
  ['note: details are in #ops', 'note add', 'details are in #ops'],
  ['task: call legal @bob', 'task add', 'call legal'],
  ['task add ask @bob about DNS', 'task add', 'ask @bob about DNS'],
  // Other languages.
  [
    'note: Der Pool ist voll, wir warten auf den Anbieter.',
    'note add',
    'Der Pool ist voll, wir warten auf den Anbieter.',
  ],
  ['note „Wer hat neu gestartet?“', 'note add', 'Wer hat neu gestartet?'],
  ['note Der Cache war um zehn kalt', 'note add', 'Der Cache war um zehn kalt'],
  ['update: Kunden können wieder bezahlen', 'incident update', 'Kunden können wieder bezahlen'],
  ['task: Anwälte anrufen', 'task add', 'Anwälte anrufen'],
  ['note: la base de données ne répond plus', 'note add', 'la base de données ne répond plus'],
  ['update « les paiements passent à nouveau »', 'incident update', 'les paiements passent à nouveau'],
  ['update: on revient à la version 41, à bientôt', 'incident update', 'on revient à la version 41, à bientôt'],
  ['note le cache était froid', 'note add', 'le cache était froid'],
  ['note: プールが満杯です', 'note add', 'プールが満杯です'],
  ['update: 決済は復旧しました。', 'incident update', '決済は復旧しました。'],
  ['note "誰が再起動しましたか？"', 'note add', '誰が再起動しましたか？'],
  ['title: 決済が停止', 'incident title', '決済が停止'],
];
