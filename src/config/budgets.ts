import { type BudgetLimit, type Budgets as BudgetsOf, createBudgets } from '../model/budget.ts'

const kibibyte = 1024
const mebibyte = 1024 ** 2

/**
 * The limits of bytes, connections, streams, statements and hashes that a process holds at once. Every such
 * number is in this table and nowhere else. docs/decisions/0040-budgets-before-work.md explains them
 * together.
 *
 * `per` is the holder that has a limit of its own, `of` is the unit. A limit per `host` is divided among the
 * processes of the host; one per `process` applies to each of them. `OfAccount` and `PerAccount` mean the
 * same in a name. A limit is counted, and shown by `/metrics`, if code opens it with `budgets.budget(name)`.
 * The others are only numbers, which code reads as `budgetLimits.<name>.max`: limits per request, the sizes
 * of caches, and limits that SQL compares. Overrides of tests apply to counted limits only.
 */
export const budgetLimits = {
  // HTTP hosts: connections, logs and unread bodies.

  /** More connections than one process can serve; each idle one costs about 10 KB. */
  httpConnections: { max: 20_000, per: 'host', of: 'connections' },
  /** A large office behind one address, with live listings. A proxy has to limit its own clients. */
  httpConnectionsOfAddress: { max: 4096, per: 'address', of: 'connections' },
  /**
   * Requests of one connection that wait for their responses. A client that pipelines sends a few; without a
   * limit, half a megabyte of short requests would be thousands in progress at once.
   */
  pipelinedRequests: { max: 16, per: 'connection', of: 'requests' },
  /** Addresses that the rate limiter counts, about 20 MB when full. Then the oldest are dropped. */
  limiterAddresses: { max: 100_000, per: 'host', of: 'addresses' },
  /**
   * Log lines of requests without an accepted token, counted separately for each kind of line. A line has
   * about 250 bytes, so a flood of one kind writes at most a gigabyte per day and host. The next line that is
   * logged says how many were dropped.
   */
  unauthenticatedLines: { max: 1000, perSecond: 50, per: 'host', of: 'lines' },

  /** Bodies that still arrive after a 401, 404, 413 or 429 was sent. The limit allows some large uploads. */
  unreadBodyBytes: { max: 64 * mebibyte, perSecond: 8 * mebibyte, per: 'process', of: 'bytes' },
  unreadBodyBytesOfAddress: { max: 16 * mebibyte, perSecond: mebibyte, per: 'address', of: 'bytes' },

  // REST host: bodies, batches, live listings and webhooks.

  /** Dozens of times the longest legal record. The token is verified before the first byte is read. */
  restBodyBytes: { max: mebibyte, per: 'request', of: 'bytes' },
  /** A thousand items of four kilobytes; four batches are in progress at once. */
  batchBodyBytes: { max: 4 * mebibyte, per: 'request', of: 'bytes' },
  /**
   * A batch counts from before its body is read until its response is sent. It holds a connection for about a
   * second.
   */
  batches: { max: 4, per: 'process', of: 'requests' },
  batchesOfAccount: { max: 2, per: 'account', of: 'requests' },
  /** Waiting batches hold only their headers. */
  batchesWaiting: { max: 200, per: 'process', of: 'requests' },
  batchesWaitingOfAccount: { max: 20, per: 'account', of: 'requests' },
  /** Responses being compressed, each about half a megabyte; any more are sent uncompressed. */
  restCompressions: { max: 8, per: 'process', of: 'requests' },
  /** Each stream holds a connection and a few kilobytes. */
  liveListings: { max: 10_000, per: 'host', of: 'streams' },
  /** A user rarely has more windows and tabs open. */
  liveListingsOfAccount: { max: 20, per: 'account', of: 'streams' },
  /**
   * Bytes of the newest snapshots and of those still being sent. Fits two pages of 100 records of the
   * maximum length, or twenty pages of 100 moderately long ones.
   */
  liveBytesOfAccount: { max: 16 * mebibyte, per: 'account', of: 'bytes' },
  /** A snapshot with many readers is counted once. */
  liveBytes: { max: 64 * mebibyte, per: 'process', of: 'bytes' },

  /** Files being received, each with 64 KiB in memory: by default at most 400 MB in total on the disk. */
  uploads: { max: 16, per: 'process', of: 'requests' },
  /** A browser sends a few at once; the client has to retry any more later. */
  uploadsOfAccount: { max: 4, per: 'account', of: 'requests' },
  /** Files being sent, each an open file and 64 KiB; a reader may be slow for a quarter of an hour. */
  downloads: { max: 512, per: 'process', of: 'requests' },
  /** A page may load this many images at once through a proxy with HTTP/2. */
  downloadsOfAccount: { max: 64, per: 'account', of: 'requests' },

  /**
   * Requests to webhooks; each waits ten seconds at most. A webhook holds one of these for its whole turn, and
   * up to seven more for concurrent deliveries.
   */
  webhookRequests: { max: 32, per: 'process', of: 'requests' },

  // Identity host: forms, mails, factors, external providers and password hashes.

  /** Twice the longest sign-in form. Most of a form is its pending authorization request. */
  identityBodyBytes: { max: 16 * kibibyte, per: 'request', of: 'bytes' },
  /** Password mails per hour, counted in `mail-queue.ts`. More requests get the same answer, but no mail. */
  passwordMailsOfAddress: { max: 20, per: 'address', of: 'mails' },
  passwordMailsOfAccount: { max: 3, per: 'account', of: 'mails' },
  /** Mails that a signed-in user has sent to others within one day, counted in SQL, too. */
  mailsOfAccount: { max: 50, per: 'account', of: 'mails' },
  /** Unsent mails in the database. Fewer than this accumulate while the mail server is down for a day. */
  mailsWaiting: { max: 2000, per: 'host', of: 'mails' },
  /** Mails with notifications within one day. Later notifications wait until the oldest mail is a day old. */
  notificationMailsOfAccount: { max: 60, per: 'account', of: 'mails' },
  /** Unsent mails with notifications: what one process sends in two minutes. The rest waits as one row per account. */
  notificationMailsWaiting: { max: 500, per: 'host', of: 'mails' },
  /** Mails being sent. An attempt ends when the mail server is silent for ten seconds. */
  mailsAtOnce: { max: 4, per: 'process', of: 'mails' },
  /**
   * Consecutive wrong codes, however far apart. Afterwards codes are rejected until the user signs in another
   * way.
   */
  wrongCodesOfAccount: { max: 20, per: 'account', of: 'codes' },
  /** Requests to external providers; each waits five seconds at most. */
  providerRequests: { max: 32, per: 'process', of: 'requests' },
  /**
   * Sign-ins in progress at external providers, stored for a quarter of an hour. An office behind one address
   * has a few at a time. Above the limit, sign-ins are rejected.
   */
  providerAttemptsOfAddress: { max: 200, per: 'address', of: 'requests' },
  /** The regular cleanup deletes the oldest above this number. */
  providerAttempts: { max: 20_000, per: 'host', of: 'requests' },
  /** A discovery document or a set of keys has some kilobytes. */
  providerAnswerBytes: { max: 256 * kibibyte, per: 'request', of: 'bytes' },
  /** More at a time would only share the same cores, at 64 MiB each. */
  passwordHashes: { max: 4, per: 'process', of: 'hashes' },
  /** The last of 16 waits about 0.4 s, because four hashes are computed at a time and each takes 0.1 s. */
  passwordHashesWaiting: { max: 16, per: 'process', of: 'requests' },

  // Web host and diagnostics of the command host: no route needs a body.

  webBodyBytes: { max: kibibyte, per: 'request', of: 'bytes' },
  diagnosticsBodyBytes: { max: kibibyte, per: 'request', of: 'bytes' },

  // Command host (gRPC and the .NET wire), before a connection has sent an accepted token. Such connections
  // are newcomers.

  /** Equals the limit of the HTTP hosts. */
  commandConnections: { max: 20_000, per: 'host', of: 'connections' },
  /**
   * Many clients open up to 100 streams before they have received the limit (RFC 9113, 6.5.2 recommends at
   * least 100), so none of these is rejected.
   */
  commandStreamsBeforeToken: { max: 100, per: 'connection', of: 'streams' },
  /**
   * Open connections without an accepted token, including idle ones and partial prefaces: about 30 KB each.
   * Above the limit, the address with the most connections loses its oldest. Both numbers are higher than the
   * bursts of `newcomerConnections` below, so the oldest connection has had seconds to send a token.
   */
  newcomers: { max: 2048, per: 'process', of: 'connections' },
  newcomersOfAddress: { max: 640, per: 'address', of: 'connections' },
  /**
   * The rate of new connections. A connection no longer counts once its token was accepted, so only clients
   * without a token reach the limit. The HTTP/2 session of a connection occupies about 15 KB until the next
   * full garbage collection, so the rate of the process decides how much memory a flood from many addresses
   * occupies.
   */
  newcomerConnections: { max: 640, perSecond: 50, per: 'process', of: 'connections' },
  newcomerConnectionsOfAddress: { max: 512, perSecond: 10, per: 'address', of: 'connections' },
  /**
   * The rate of new streams. They, too, no longer count once a token was accepted. The burst of an address lets
   * ten connections begin with a hundred calls each.
   */
  newcomerStreams: { max: 16_384, perSecond: 1000, per: 'process', of: 'streams' },
  newcomerStreamsOfAddress: { max: 1024, perSecond: 100, per: 'address', of: 'streams' },
  /** The rate of streams that end before their response. */
  newcomerResets: { max: 1000, perSecond: 100, per: 'process', of: 'streams' },
  newcomerResetsOfAddress: { max: 100, perSecond: 10, per: 'address', of: 'streams' },
  /**
   * The rate of bytes in frames of every kind. The burst of an address equals 64 flow-control windows of
   * 64 KiB, or forty times the headers of a hundred calls.
   */
  newcomerBytes: { max: 32 * mebibyte, perSecond: 4 * mebibyte, per: 'process', of: 'bytes' },
  newcomerBytesOfAddress: { max: 4 * mebibyte, perSecond: 128 * kibibyte, per: 'address', of: 'bytes' },
  /** Connections above the rate wait unread, each with a socket. The last of an address waits six seconds. */
  newcomersWaiting: { max: 1024, per: 'process', of: 'connections' },
  newcomersWaitingOfAddress: { max: 64, per: 'address', of: 'connections' },

  // Command host, after a token was accepted.

  /**
   * Node still counts a stream for one event-loop turn after it has ended. It resets a stream above the
   * limit, and closes a connection after a hundred such resets. The number lets a client cancel 2,048 calls
   * and repeat them.
   */
  commandStreams: { max: 4096, per: 'connection', of: 'streams' },
  /** Equals the limit of one connection, although an account may have several. */
  commandStreamsOfAccount: { max: 4096, per: 'account', of: 'streams' },
  /** A hundred times the largest legal message, a comment. Larger ones, compressed or not, are rejected. */
  commandMessageBytes: { max: 4 * mebibyte, per: 'request', of: 'bytes' },
  /** Bytes of requests that arrive or are in progress, compressed or not: two of the largest messages. */
  commandBytesPerAccount: { max: 8 * mebibyte, per: 'account', of: 'bytes' },
  /** A proxy carries several accounts on one connection. */
  commandBytesPerConnection: { max: 16 * mebibyte, per: 'connection', of: 'bytes' },
  commandBytes: { max: 32 * mebibyte, per: 'process', of: 'bytes' },
  /** Messages being decompressed. Any of them can turn out to have the largest size. */
  commandUnpacking: { max: 4, per: 'process', of: 'requests' },
  commandUnpackingWaiting: { max: 10_000, per: 'process', of: 'requests' },

  // Command host: reflection and health, which need no token.

  /** A load balancer has one or two watches open. */
  unauthenticatedStreamsPerConnection: { max: 8, per: 'connection', of: 'streams' },
  unauthenticatedStreamsPerAddress: { max: 64, per: 'address', of: 'streams' },
  unauthenticatedStreams: { max: 1024, per: 'process', of: 'streams' },
  /** The longest request contains the name of a symbol. */
  unauthenticatedMessageBytes: { max: 4 * kibibyte, per: 'request', of: 'bytes' },
  /** The request is a stream. This limits its messages that wait for the response to an earlier one. */
  unauthenticatedMessages: { max: 400, per: 'request', of: 'requests' },

  // Bank.

  /** The limit of each instance. A connection takes a few kilobytes. */
  bankConnections: { max: 8192, per: 'host', of: 'connections' },
  /** Half of the connections, so that one address cannot take all. A load balancer needs far fewer. */
  bankConnectionsOfAddress: { max: 4096, per: 'address', of: 'connections' },
  /** Allows unknown fields and generous white space; the longest necessary body has 300 bytes. */
  bankBodyBytes: { max: 8 * kibibyte, per: 'request', of: 'bytes' },
  /** Pipelined requests, which wait for the responses to those before. Load generators send some dozens. */
  bankRequestsAhead: { max: 1000, per: 'connection', of: 'requests' },
  /** Bytes of pipelined requests. */
  bankAheadBytes: { max: 256 * kibibyte, per: 'connection', of: 'bytes' },
  bankAheadBytesOfAll: { max: 32 * mebibyte, per: 'process', of: 'bytes' },

  // Store: transactions and keyed writes.

  /** Enough writers for group commit to pay off; more would only wait for the same locks. */
  storeTransactions: { max: 12, per: 'process', of: 'statements' },
  /**
   * A transaction may wait seconds for a row lock held by another one of its account. The limit leaves room
   * for others when two accounts do so. It exceeds `keyedWritesOfAccount` by one, so that the user can still
   * end sessions. The identity host counts the transactions of an address instead, and every host does so for
   * requests without a session.
   */
  storeTransactionsOfAccount: { max: 5, per: 'account', of: 'statements' },
  /** Each holds a waiting request and its data. */
  storeTransactionsWaiting: { max: 10_000, per: 'process', of: 'requests' },
  /** Equals the commands that an account may have in flight, so a burst of quick writes is accepted. */
  storeTransactionsWaitingOfAccount: { max: 4096, per: 'account', of: 'requests' },
  /** Batched writes of several callers; they hardly wait for locks, so two are enough. */
  storeGroupCommits: { max: 2, per: 'process', of: 'statements' },

  /**
   * Writes with an Idempotency-Key. Each holds a connection as soon as it has claimed its key, and a change
   * of password needs a second one. So half of `storeTransactions` is left for second connections and for all
   * other writes.
   */
  keyedWrites: { max: 6, per: 'process', of: 'statements' },
  keyedWritesOfAccount: { max: 4, per: 'account', of: 'statements' },
  keyedWritesWaiting: { max: 2000, per: 'process', of: 'requests' },
  keyedWritesWaitingOfAccount: { max: 500, per: 'account', of: 'requests' },
  /** Idempotency keys are stored for a day: about one request per second. */
  keysOfAccount: { max: 100_000, per: 'account', of: 'requests' },
  /** The stored responses of keyed requests: 100,000 of 670 bytes. */
  keyedAnswerBytesOfAccount: { max: 64 * mebibyte, per: 'account', of: 'bytes' },

  // Lists, exports and live listings. `src/db/limited-reads.ts` composes the names from kind, speed and
  // holder, such as `lists` + `Quick` + `OfAccount`. A list that takes longer than 40 ms is stopped and
  // restarted as a slow one.

  /** Lists in flight on the one connection that the quick ones share: the last waits for those before it. */
  listsQuick: { max: 64, per: 'process', of: 'statements' },
  /** An account whose list was stopped after 40 ms does not use the shared connection for the next minute. */
  listsQuickOfAccount: { max: 4, per: 'account', of: 'statements' },
  /** Each keeps a core of the database busy, for 2.5 s at most. */
  listsSlow: { max: 4, per: 'process', of: 'statements' },
  listsSlowOfAccount: { max: 2, per: 'account', of: 'statements' },
  /** Each holds a waiting request with some kilobytes of data. */
  listsWaiting: { max: 2000, per: 'process', of: 'requests' },
  listsWaitingOfAccount: { max: 500, per: 'account', of: 'requests' },

  /**
   * Each holds a connection while it reads ahead of its reader; a slow reader gives way to others
   * (docs/decisions/0062-exports.md).
   */
  exports: { max: 2, per: 'process', of: 'statements' },
  exportsOfAccount: { max: 1, per: 'account', of: 'statements' },
  /** Each holds a waiting request with some kilobytes of data. */
  exportsWaiting: { max: 500, per: 'process', of: 'requests' },
  exportsWaitingOfAccount: { max: 4, per: 'account', of: 'requests' },
  /** Rows that were read and not sent yet: about 100,000 of an account. When full, reading pauses. */
  exportBytesOfAccount: { max: 16 * mebibyte, per: 'account', of: 'bytes' },
  exportBytes: { max: 64 * mebibyte, per: 'process', of: 'bytes' },

  /** Like the lists above, for snapshots of live listings, which belong to no request. */
  liveListsQuick: { max: 16, per: 'process', of: 'statements' },
  liveListsQuickOfAccount: { max: 4, per: 'account', of: 'statements' },
  liveListsSlow: { max: 2, per: 'process', of: 'statements' },
  liveListsSlowOfAccount: { max: 1, per: 'account', of: 'statements' },
  liveListsWaiting: { max: 2000, per: 'process', of: 'requests' },
  liveListsWaitingOfAccount: { max: 100, per: 'account', of: 'requests' },
} as const satisfies Readonly<Record<string, BudgetLimit>>

export type BudgetName = keyof typeof budgetLimits
export type Budgets = BudgetsOf<BudgetName>

/**
 * Called once per process. Tests may pass other limits, and a clock for the rates. `processes` is the number
 * of processes that serve the same ports.
 */
export const openBudgets = (
  maximumOverrides: Partial<Record<BudgetName, number>> = {},
  now?: () => number,
  processes = 1,
): Budgets =>
  createBudgets(
    Object.fromEntries(
      Object.entries(budgetLimits).map(([name, limit]: [string, BudgetLimit]) => [
        name,
        shareOf({ ...limit, max: maximumOverrides[name as BudgetName] ?? limit.max }, processes),
      ]),
    ) as Record<BudgetName, BudgetLimit>,
    now,
  )

/**
 * Connections are distributed evenly, so limits per address and per host are divided by the number of
 * processes. Limits of hashes are divided too, because all processes share the same cores. Other limits are
 * not divided: they protect one process, or belong to an account.
 */
function shareOf(limit: BudgetLimit, processes: number): BudgetLimit {
  const { max, perSecond, per, of } = limit
  if (per !== 'address' && per !== 'host' && of !== 'hashes') return limit
  return {
    ...limit,
    max: Math.ceil(max / processes),
    ...(perSecond !== undefined && { perSecond: Math.ceil(perSecond / processes) }),
  }
}

/** More connections would not make the database faster for a few processes. */
export const connectionsDefault = 25
/** This is enough for one connection for each kind of work, and three for transactions. */
export const connectionsMin = 10
export const connectionsMax = 200

/** Single reads, quick lists and the snapshots of live listings each share one connection. */
const sharedConnections = 3
const ownConnections = ['listsSlow', 'liveListsSlow', 'exports', 'storeGroupCommits'] as const

/**
 * Scales the connections of lists, live listings, exports and batched writes as in the table; transactions
 * get the rest. The shares of one account and of keyed writes scale with the transactions.
 */
export function divideConnections(connections: number): Partial<Record<BudgetName, number>> {
  const scale = (connections - sharedConnections) / (connectionsDefault - sharedConnections)
  const scaled = (name: (typeof ownConnections)[number]) =>
    Math.max(1, Math.floor(budgetLimits[name].max * scale))
  const otherConnections = ownConnections.reduce((sum, name) => sum + scaled(name), sharedConnections)
  const storeTransactions = connections - otherConnections
  const partOf = (name: 'storeTransactionsOfAccount' | 'keyedWrites', min: number) =>
    Math.max(
      min,
      Math.floor((storeTransactions * budgetLimits[name].max) / budgetLimits.storeTransactions.max),
    )
  const storeTransactionsOfAccount = partOf('storeTransactionsOfAccount', 2)
  return {
    ...Object.fromEntries(ownConnections.map((name) => [name, scaled(name)])),
    listsSlowOfAccount: Math.ceil(scaled('listsSlow') / 2),
    storeTransactions,
    storeTransactionsOfAccount,
    keyedWrites: partOf('keyedWrites', 1),
    keyedWritesOfAccount: storeTransactionsOfAccount - 1,
  }
}
