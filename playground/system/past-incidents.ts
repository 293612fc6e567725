/** Who took part in the past incidents. */
export type Veteran = 'alice' | 'bob' | 'carol';

/** An incident that is over. Minutes count from its start. */
export interface PastIncident {
  readonly title: string;
  readonly severity: 'minor' | 'major' | 'critical';
  readonly labels: readonly string[];
  /** Its day, counted back from today, and its time in UTC. */
  readonly daysAgo: number;
  readonly at: `${number}:${number}`;
  /** How long it lasted. */
  readonly minutes: number;
  readonly isDrill?: true;
  readonly commander: Veteran;
  readonly investigator?: Veteran;
  readonly observer?: Veteran;
  /** The severity that it had at first, when it became another one after five minutes. */
  readonly firstSeverity?: PastIncident['severity'];
  /** Each was done by the end, unless it is `open`. */
  readonly tasks?: readonly (readonly [text: string, who: Veteran, state?: 'open'])[];
  readonly notes: readonly (readonly [minute: number, who: Veteran, text: string])[];
  readonly summary: string;
}

const hour = 60;
const day = 24 * hour;

/** The past of the web shop, oldest first. */
export const pastIncidents: readonly PastIncident[] = [
  {
    title: 'Orders are confirmed twice by e-mail',
    severity: 'minor',
    labels: ['mail', 'checkout'],
    ...{ daysAgo: 56, at: '09:40', minutes: 95, commander: 'alice', observer: 'carol' },
    tasks: [['Tell customers in the FAQ', 'carol']],
    notes: [
      [4, 'carol', 'Eleven customers ask why they have two confirmations. They were charged once.'],
      [31, 'alice', 'The queue worker restarted before it had acknowledged. It sends again what it took.'],
    ],
    summary: 'The mail worker acknowledges before it sends now, and remembers order numbers for a day.',
  },
  {
    title: 'Search finds nothing in French',
    severity: 'minor',
    labels: ['search', 'i18n'],
    ...{ daysAgo: 54, at: '14:12', minutes: 42, commander: 'bob', investigator: 'alice' },
    notes: [[12, 'alice', 'The index of last night has no French analyser. The one of the night before has.']],
    summary: 'We went back to the index of the night before. The build fails when a language is missing.',
  },
  {
    title: 'Checkout answers 502 for guests',
    severity: 'critical',
    labels: ['checkout', 'deploy'],
    ...{ daysAgo: 51, at: '19:03', minutes: 27, commander: 'bob', investigator: 'alice', observer: 'carol' },
    firstSeverity: 'major',
    tasks: [
      ['Roll back release 1098', 'alice'],
      ['Put it on the status page', 'carol'],
    ],
    notes: [
      [3, 'alice', 'Only people without an account are affected: 38 % of all orders.'],
      [6, 'bob', 'Release 1098 went out at 19:01. We roll back.'],
      [19, 'alice', 'Rolled back. The error rate falls.'],
      [25, 'carol', 'Orders come in again at the usual rate.'],
    ],
    summary: 'Release 1098 asked for a session that guests do not have. A test buys something as a guest from now on.',
  },
  {
    title: 'Product pictures load slowly in Asia',
    severity: 'minor',
    labels: ['cdn'],
    ...{ daysAgo: 49, at: '03:55', minutes: 6 * hour + 20, commander: 'alice' },
    notes: [
      [20, 'alice', 'Singapore and Tokyo miss the cache for nine of ten pictures.'],
      [180, 'alice', 'The provider confirms a fault in one of their data centres.'],
    ],
    summary: 'The provider took the faulty data centre out. Nothing of ours was wrong.',
  },
  {
    title: 'Drill: the primary database is gone',
    severity: 'major',
    labels: ['database', 'drill'],
    ...{ daysAgo: 47, at: '10:00', minutes: 75, isDrill: true, commander: 'bob', investigator: 'alice' },
    tasks: [
      ['Promote the replica', 'alice'],
      ['Write down what took longest', 'bob'],
    ],
    notes: [
      [8, 'alice', 'The runbook names a host that no longer exists.'],
      [40, 'alice', 'The replica is primary. Writes work.'],
    ],
    summary: 'We were back after 40 minutes; the aim is 15. The runbook is corrected.',
  },
  {
    title: 'Payments with Visa are refused',
    severity: 'critical',
    labels: ['payments', 'provider'],
    ...{ daysAgo: 44, at: '17:31', minutes: 110, commander: 'bob', investigator: 'alice', observer: 'carol' },
    tasks: [
      ['Call the payment provider', 'bob'],
      ['Offer PayPal first', 'alice'],
      ['Answer the tickets with a macro', 'carol'],
    ],
    notes: [
      [5, 'carol', '64 tickets in ten minutes, all about Visa.'],
      [14, 'bob', 'The provider sees it too. They have no time for a fix yet.'],
      [22, 'alice', 'PayPal stands first on the page. Two thirds of the buyers take it.'],
      [101, 'bob', 'The provider reports it fixed. We see the first Visa payments.'],
    ],
    summary: 'Our provider had an expired certificate towards Visa. We can put another method first with a switch now.',
  },
  {
    title: 'Stock shows as negative',
    severity: 'minor',
    labels: ['warehouse'],
    ...{ daysAgo: 41, at: '08:20', minutes: 2 * day + 3 * hour, commander: 'carol', investigator: 'alice' },
    tasks: [
      ['Count shelf 14 by hand', 'carol'],
      ['Forbid negative stock in the database', 'alice', 'open'],
    ],
    notes: [
      [60, 'carol', 'Seventeen articles, all of them returned in the last week.'],
      [26 * hour, 'alice', 'Returns are booked twice when the scanner loses its network.'],
    ],
    summary: 'The scanner sends each booking with a key, so that a repeat has no effect.',
  },
  {
    title: 'The nightly export to the accountants failed',
    severity: 'minor',
    labels: ['export'],
    ...{ daysAgo: 38, at: '05:10', minutes: 130, commander: 'alice' },
    notes: [[35, 'alice', 'The disk of the export host is full of old exports.']],
    summary: 'Old exports are deleted after 30 days. An alert fires at 80 % of the disk.',
  },
  {
    title: 'Login takes twenty seconds',
    severity: 'major',
    labels: ['login', 'database'],
    ...{ daysAgo: 35, at: '11:45', minutes: 58, commander: 'bob', investigator: 'alice' },
    firstSeverity: 'minor',
    tasks: [['Put the index back', 'alice']],
    notes: [
      [9, 'alice', 'Every login reads the whole table of sessions: 40 million rows.'],
      [33, 'alice', 'The migration of this morning dropped an index. It is being built again.'],
      [55, 'bob', 'Logins take 200 ms again.'],
    ],
    summary:
      'A migration dropped an index that it should have renamed. Migrations that drop an index need a second pair of eyes.',
  },
  {
    title: 'Vouchers are accepted twice',
    severity: 'major',
    labels: ['checkout', 'vouchers'],
    ...{ daysAgo: 32, at: '20:15', minutes: 3 * hour, commander: 'bob', investigator: 'alice', observer: 'carol' },
    tasks: [
      ['Switch vouchers off', 'alice'],
      ['List the orders with a voucher used twice', 'carol'],
    ],
    notes: [
      [10, 'carol', 'A forum explains how: two tabs, one click each.'],
      [18, 'alice', 'Vouchers are off.'],
      [150, 'alice', 'Redeeming locks the voucher now. Vouchers are on again.'],
    ],
    summary: '212 orders used a voucher twice, for 1,940 € in all. We let the customers keep it.',
  },
  {
    title: 'The app crashes on Android 9',
    severity: 'major',
    labels: ['app'],
    ...{ daysAgo: 29, at: '07:02', minutes: 1 * day + 5 * hour, commander: 'carol', investigator: 'bob' },
    notes: [
      [30, 'carol', 'Reviews in the store fall to one star since version 5.2.'],
      [4 * hour, 'bob', 'A library of 5.2 needs Android 10. Version 5.2.1 goes to the store for review.'],
      [28 * hour, 'bob', '5.2.1 is in the store. Crashes fall.'],
    ],
    summary: '5.2.1 works on Android 9. The test farm has such a phone again.',
  },
  {
    title: 'Prices show without tax',
    severity: 'critical',
    labels: ['catalogue', 'deploy'],
    ...{ daysAgo: 26, at: '13:20', minutes: 19, commander: 'alice', investigator: 'bob', observer: 'carol' },
    tasks: [['Roll back release 1120', 'bob']],
    notes: [
      [2, 'carol', 'A customer in Austria sees net prices.'],
      [7, 'bob', 'All of Europe sees them since release 1120, four minutes ago. Rolling back.'],
      [16, 'bob', 'Rolled back, caches emptied.'],
    ],
    summary: 'Release 1120 read the tax zone from a header that our CDN removes. 31 orders were corrected by hand.',
  },
  {
    title: 'Newsletter sent to everybody who had left it',
    severity: 'major',
    labels: ['mail', 'privacy'],
    ...{ daysAgo: 23, at: '09:05', minutes: 4 * hour + 30, commander: 'carol', observer: 'bob' },
    tasks: [
      ['Tell the data protection officer', 'carol'],
      ['Write an apology', 'carol'],
      ['Stop the campaign', 'alice'],
    ],
    notes: [
      [6, 'alice', 'The campaign is stopped after 3,100 of 48,000 mails.'],
      [90, 'carol', 'The officer is informed. The apology goes out this afternoon.'],
    ],
    summary: 'The list was imported without its column of consent. An import without it is refused now.',
  },
  {
    title: 'Kafka lags by an hour',
    severity: 'minor',
    labels: ['queue'],
    ...{ daysAgo: 20, at: '22:48', minutes: 87, commander: 'alice' },
    notes: [
      [15, 'alice', 'One consumer of six reads nothing. It waits for a lock that a dead one held.'],
      [70, 'alice', 'After a restart the lag falls by a minute each second.'],
    ],
    summary: 'The lock has a lease now and ends with its owner.',
  },
  {
    title: 'DHL labels cannot be printed',
    severity: 'major',
    labels: ['warehouse', 'provider'],
    ...{ daysAgo: 17, at: '06:30', minutes: 2 * hour + 40, commander: 'carol', investigator: 'alice' },
    tasks: [['Print with the portal by hand', 'carol']],
    notes: [
      [10, 'carol', '140 parcels wait at the ramp. The lorry comes at nine.'],
      [65, 'alice', 'Their API wants a new version of TLS since midnight.'],
      [140, 'alice', 'The gateway speaks TLS 1.3. Labels print.'],
    ],
    summary: 'DHL had announced the change in a mail to somebody who has left. Such mails go to a list now.',
  },
  {
    title: 'Checkout is slow while the sale begins',
    severity: 'major',
    labels: ['checkout', 'capacity'],
    ...{ daysAgo: 14, at: '18:00', minutes: 48, commander: 'bob', investigator: 'alice', observer: 'carol' },
    firstSeverity: 'minor',
    tasks: [
      ['Double the workers of the checkout', 'alice'],
      ['Queue visitors on the landing page', 'bob'],
    ],
    notes: [
      [4, 'alice', 'p95 of POST /orders is 11 s. All 40 database connections are in use.'],
      [15, 'alice', 'Twice as many workers made it worse: they wait for the same connections.'],
      [26, 'alice', 'The pool has 120 connections. p95 is 900 ms.'],
    ],
    summary: 'The pool of connections was the limit, not the workers. The sale brought 2.3 times the usual orders.',
  },
  {
    title: 'Drill: somebody leaks a key',
    severity: 'minor',
    labels: ['security', 'drill'],
    ...{ daysAgo: 11, at: '10:30', minutes: 50, isDrill: true, commander: 'alice', observer: 'bob' },
    tasks: [['Replace the key of the payment provider', 'alice']],
    notes: [[21, 'alice', 'The key is replaced. One job had its own copy and failed.']],
    summary: 'Replacing the key took 21 minutes. The job reads it from the vault now.',
  },
  {
    title: 'Reviews of other shops appear on our pages',
    severity: 'minor',
    labels: ['reviews', 'provider'],
    ...{ daysAgo: 8, at: '15:44', minutes: 72, commander: 'carol', investigator: 'bob' },
    notes: [
      [11, 'carol', 'Seen under garden chairs: a review of a dentist.'],
      [40, 'bob', 'The widget of the provider mixes up customers. It is off.'],
    ],
    summary: 'The provider fixed their cache key. The widget is on again.',
  },
  {
    title: 'The certificate of the API expired',
    severity: 'critical',
    labels: ['tls', 'api'],
    ...{ daysAgo: 5, at: '00:01', minutes: 34, commander: 'alice', observer: 'bob' },
    tasks: [
      ['Renew the certificate', 'alice'],
      ['Watch every certificate, not only those of the web', 'alice', 'open'],
    ],
    notes: [
      [6, 'alice', 'The app and all partners fail. The web shop has another certificate and works.'],
      [29, 'alice', 'Renewed by hand. Partners connect again.'],
    ],
    summary: 'The renewal had failed for three weeks, and its mails went to a full mailbox.',
  },
  {
    title: 'Deliveries to Switzerland lack customs papers',
    severity: 'minor',
    labels: ['warehouse'],
    ...{ daysAgo: 2, at: '12:25', minutes: 5 * hour + 15, commander: 'bob', investigator: 'carol' },
    tasks: [
      ['Hold back parcels to Switzerland', 'carol'],
      ['Send the papers of 23 parcels on', 'carol'],
    ],
    notes: [
      [25, 'carol', '23 parcels left without papers since yesterday.'],
      [220, 'bob', 'The template was renamed, and the printer skips what it does not find.'],
    ],
    summary: 'A missing template stops the print job now. The papers were sent on the same day.',
  },
];
