/**
 * How long things may take before Muster goes on without them, in milliseconds: the one table of them. Each entry of the program hands
 * it on to the parts that wait.
 */
export const deadlines = {
  /**
   * The incident API: one attempt, one call with all its attempts, and the rest of the circuit breaker. A person waits for each call. An
   * attempt may take less than a call, so that the client notices an API that stalls. `longestPause` lies between two attempts.
   */
  api: { attemptTimeout: 7000, budget: 10_000, longestPause: 10_000, breaker: { coolDown: 5000 } },
  /** A request to a Grafana whose answer was lost may still take effect for so long: the vendor's own client waits for it as long. */
  landing: 60_000,
  /**
   * The first check of the API, whose failures count as no failures of people's calls. No breaker stands before it: the check tells why the
   * API cannot be reached.
   */
  apiProbe: {
    attemptTimeout: 5000,
    budget: 5000,
    longestPause: 10_000,
    breaker: { failures: Number.POSITIVE_INFINITY },
  },
  /** Commands that nobody waits for at a desk: transfer, conformance, the playground's past (docs/api-rules.md A1, Timeout). */
  apiTools: { attemptTimeout: 15_000, budget: 60_000, longestPause: 10_000 },
  /** The doctor's calls to the API, for the same reason without a breaker. */
  apiDoctor: {
    attemptTimeout: 5000,
    budget: 5000,
    longestPause: 10_000,
    breaker: { failures: Number.POSITIVE_INFINITY },
  },

  /** Reads of the API for a person: the small print of an answer, and the things that they asked to see. After it they read a snapshot. */
  reads: { aside: 1500, asked: 3000 },
  /** What each call of an intent may take, however late it comes. */
  lateCall: 1000,
  /** A person who acts waits so long for an API that asks to wait. Then they read so, and are told later. */
  askedPause: 1000,
  /** Looking for a user in the API's list: the person who acts waits for it. */
  users: 2000,
  /** One poll of the API by the sync. */
  poll: 5000,
  /** Whether the page of an incident opens: a card waits for it. */
  page: 1000,
  /** Slack says who is in the private rooms of a person who reads pages: the list waits for it, and leaves out the other rooms. */
  rooms: 2000,

  /**
   * Taking a delivery: storing it, storing one that Slack repeats until it is acknowledged, and the acknowledgement, for which Slack waits
   * three seconds (docs/slack.md 2). After `turn` a person reads that their act waits for an earlier one.
   */
  storeDelivery: 1000,
  storeEvent: 2000,
  acknowledge: 2900,
  turn: 2500,
  /** Reading the body of a request that Slack or the API sends. */
  requestBody: 3000,
  /** Finding out who acts. */
  profile: 4000,
  /**
   * Calls to Slack. `queue` is how long a call waits for its turn under Slack's rate limits; `call` is how long one attempt may take. A new
   * channel never waits: the person who declared reads at once that Slack asks to wait, and it is made later. `answer` is a call to a
   * `response_url`, `file` the content of a file, and `ping` the sign of life of a socket.
   */
  slack: {
    ...{ call: 8000, answer: 15_000, file: 10_000, ping: 2000 },
    ...{ usual: { queue: 60_000 }, once: { queue: 10_000 }, channel: { queue: 0 }, quick: { queue: 0, call: 2000 } },
  },
  /** The files of a message, for which its note waits. */
  noteFiles: 3000,
  /** One question to Slack before the bot runs. */
  slackProbe: 5000,

  /** The start waits for the first checks of Slack and the API. */
  firstCheck: 2000,
  /**
   * A stop waits for people's acts, and then for intents; what goes on after that is cut off, and ends within `cutOff`. `rest` is for what
   * nobody waits for, `close` for the connection and for handing deliveries back. After `all` the process ends anyway.
   */
  stop: { people: 5000, intents: 2000, cutOff: 500, rest: 1000, close: 1000, all: 10_000 },
  /** The process ends that computes so long without a pause: it would answer nobody, and end at no signal. */
  hung: 8000,

  /**
   * Databases: a connection, a search, a lock, the lock of the migrations, a statement in a process that serves people, and the silence
   * of a transaction. Nobody waits as long as for a statement, and a connection that hangs would be lost to all others.
   */
  database: { connect: 10_000, search: 5000, lock: 10_000, migrate: 600_000, statement: 60_000, silence: 30_000 },
  /** A start waits for a database that is away. */
  databaseStart: 60_000,
  /** A check whether the database answers. */
  databaseCheck: 2000,

  /**
   * The HTTP server: headers, a whole request, how often it looks for those that are late, the silence of a connection whose answer is due,
   * and the room that a large body waits for.
   */
  service: { headers: 15_000, request: 30_000, look: 5000, silence: 60_000, room: 2000 },

  /** The doctor: all checks together, one page, and a read of the API, which is slow after it. */
  doctor: { all: 12_000, page: 5000, read: 2000 },
  /** A pager takes a page: a person waits for it. */
  pager: 5000,
  /** The answer to an alert that `muster alerts test` sends. */
  alertTest: 10_000,
  /** The conformance kit: a call of its client, an answer over plain HTTP, and a change until a search shows it. */
  conformance: { client: { attemptTimeout: 15_000, budget: 20_000 }, answer: 20_000, search: 5000 },
  /**
   * The playground: `botStop` until the bot has stopped, `answer` until another playground says who it is, `window` until a window gives a
   * sign of life, `story` until Muster has done what follows from a deed, and `brokenStory` the same while something is broken. A check of
   * a story holds within `check`, which is more than the minute that a line of a busy room may take, and within `time` where it waits for what only time brings, such as a reminder.
   */
  playground: {
    botStop: 5000,
    answer: 2000,
    window: 60_000,
    story: 60_000,
    brokenStory: 10_000,
    check: 90_000,
    time: 300_000,
  },
} as const;

/** A table in the shape of {@link deadlines}. */
export type Deadlines = Shape<typeof deadlines>;

type Shape<T> = { readonly [Name in keyof T]: T[Name] extends number ? number : Shape<T[Name]> };
