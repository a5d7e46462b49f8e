import { type BudgetLimit, type Budgets as BudgetsOf, createBudgets } from '../model/budget.ts'

const kibibyte = 1024
const mebibyte = 1024 ** 2

/**
 * All limits of what may be held or in flight at once. docs/decisions/0040-budgets-before-work.md explains
 * the design.
 *
 * `per` is the holder that has a limit of its own, and `of` is the unit. A limit per `host` is divided among
 * the processes of the host. A limit per `process` applies to each process.
 *
 * Code counts a limit with `budgets.budget(name)`, and `/metrics` shows it. Code reads a limit that is not
 * counted, such as the maximum size of a body, as `budgetLimits.<name>.max`. Overrides apply only to counted
 * limits.
 */
export const budgetLimits = {
  // HTTP hosts: connections, logs and unread bodies.

  /** An idle connection costs about 10 KB. */
  httpConnections: { max: 20_000, per: 'host', of: 'connections' },
  /** A large office may share one address. */
  httpConnectionsOfAddress: { max: 4096, per: 'address', of: 'connections' },
  /** Clients that pipeline send only a few requests before they read a response. */
  pipelinedRequests: { max: 16, per: 'connection', of: 'requests' },
  /** The rate limiter needs about 20 MB for this many addresses. It drops the oldest when it is full. */
  limiterAddresses: { max: 100_000, per: 'host', of: 'addresses' },
  /**
   * Log lines of requests without an accepted token. Each kind of line is counted separately. A line usually
   * has about 250 bytes, so a flood of one kind writes about a gigabyte per day and host. With the longest paths
   * and ids, a line of a request has up to four times as many.
   */
  unauthenticatedLines: { max: 1000, perSecond: 50, per: 'host', of: 'lines' },

  /** Bodies that still arrive after a 401, 404, 413 or 429 was sent. */
  unreadBodyBytes: { max: 64 * mebibyte, perSecond: 8 * mebibyte, per: 'process', of: 'bytes' },
  unreadBodyBytesOfAddress: { max: 16 * mebibyte, perSecond: mebibyte, per: 'address', of: 'bytes' },

  // REST host: bodies, batches, live listings and webhooks.

  /** The longest valid record is dozens of times smaller. */
  restBodyBytes: { max: mebibyte, per: 'request', of: 'bytes' },
  /** This fits a thousand items of four kilobytes. */
  batchBodyBytes: { max: 4 * mebibyte, per: 'request', of: 'bytes' },
  /** A batch counts from before its body is read until its response is sent. */
  batches: { max: 4, per: 'process', of: 'requests' },
  batchesOfAccount: { max: 2, per: 'account', of: 'requests' },
  /** Waiting batches hold only their headers. */
  batchesWaiting: { max: 200, per: 'process', of: 'requests' },
  batchesWaitingOfAccount: { max: 20, per: 'account', of: 'requests' },
  /** Compressing a response takes about half a megabyte. Above the limit, responses are sent uncompressed. */
  restCompressions: { max: 8, per: 'process', of: 'requests' },
  liveListings: { max: 10_000, per: 'host', of: 'streams' },
  /** Users rarely have more windows and tabs open. */
  liveListingsOfAccount: { max: 20, per: 'account', of: 'streams' },
  /** Snapshots in memory. This fits two pages of 100 records of the maximum length. */
  liveBytesOfAccount: { max: 16 * mebibyte, per: 'account', of: 'bytes' },
  /** A snapshot with many readers is counted once. */
  liveBytes: { max: 64 * mebibyte, per: 'process', of: 'bytes' },

  /** Files being received occupy at most 400 MB on the disk with the default size limit. */
  uploads: { max: 16, per: 'process', of: 'requests' },
  uploadsOfAccount: { max: 4, per: 'account', of: 'requests' },
  /** A download holds an open file and 64 KiB, for a quarter of an hour if its reader is slow. */
  downloads: { max: 512, per: 'process', of: 'requests' },
  /** A page may load this many images at once through a proxy with HTTP/2. */
  downloadsOfAccount: { max: 64, per: 'account', of: 'requests' },

  /** A request takes ten seconds at most. One webhook uses up to eight of these. */
  webhookRequests: { max: 32, per: 'process', of: 'requests' },

  // Identity host: forms, mails, factors, external providers and password hashes.

  /** The longest sign-in form has half of this. */
  identityBodyBytes: { max: 16 * kibibyte, per: 'request', of: 'bytes' },
  /** Password mails within an hour. Further requests get the same answer, but no mail. */
  passwordMailsOfAddress: { max: 20, per: 'address', of: 'mails' },
  passwordMailsOfAccount: { max: 3, per: 'account', of: 'mails' },
  /**
   * Mails within a day: invitations and password mails that a signed-in user has sent to others, and counted
   * separately, notices that the user's own factors have changed.
   */
  mailsOfAccount: { max: 50, per: 'account', of: 'mails' },
  /** Unsent mails in the database. */
  mailsWaiting: { max: 2000, per: 'host', of: 'mails' },
  /** Mails with notifications within a day. Later notifications wait until the oldest mail is a day old. */
  notificationMailsOfAccount: { max: 60, per: 'account', of: 'mails' },
  /** Unsent mails with notifications. One process sends this many in two minutes. */
  notificationMailsWaiting: { max: 500, per: 'host', of: 'mails' },
  /** Mails that are being sent. */
  mailsAtOnce: { max: 4, per: 'process', of: 'mails' },
  /** Consecutive wrong codes. Above the limit, codes are rejected until the user signs in another way. */
  wrongCodesOfAccount: { max: 20, per: 'account', of: 'codes' },
  /** A request takes five seconds at most. */
  providerRequests: { max: 32, per: 'process', of: 'requests' },
  /** Unfinished sign-ins at external providers. They expire after a quarter of an hour. */
  providerAttemptsOfAddress: { max: 200, per: 'address', of: 'requests' },
  /** Above the limit, the regular cleanup deletes the oldest sign-ins. */
  providerAttempts: { max: 20_000, per: 'host', of: 'requests' },
  /** A discovery document or a set of keys has a few kilobytes. */
  providerAnswerBytes: { max: 256 * kibibyte, per: 'request', of: 'bytes' },
  /** A hash takes 64 MiB and 0.1 seconds of one core. */
  passwordHashes: { max: 4, per: 'process', of: 'hashes' },
  /** The last request in the queue waits about 0.4 seconds. */
  passwordHashesWaiting: { max: 16, per: 'process', of: 'requests' },

  // Web host and diagnostics of the command host. No route there needs a body.

  webBodyBytes: { max: kibibyte, per: 'request', of: 'bytes' },
  diagnosticsBodyBytes: { max: kibibyte, per: 'request', of: 'bytes' },

  // Command host (gRPC and the .NET wire), for newcomers: connections, or behind a proxy streams, that have
  // not sent an accepted token. They no longer count once their token was accepted.

  commandConnections: { max: 20_000, per: 'host', of: 'connections' },
  /**
   * RFC 9113, 6.5.2 recommends at least 100, and clients may assume it before they have received the limit.
   */
  commandStreamsBeforeToken: { max: 100, per: 'connection', of: 'streams' },
  /**
   * Open connections of about 30 KB each. Above the limit, the address with the most connections loses its
   * oldest. The limits are higher than the bursts of `newcomerConnections`, so the oldest connection has had
   * seconds to send a token.
   */
  newcomers: { max: 2048, per: 'process', of: 'connections' },
  newcomersOfAddress: { max: 640, per: 'address', of: 'connections' },
  /**
   * The rate of new connections. An HTTP/2 session occupies about 15 KB until the next full garbage
   * collection, so this rate limits the memory that a flood from many addresses occupies.
   */
  newcomerConnections: { max: 640, perSecond: 50, per: 'process', of: 'connections' },
  newcomerConnectionsOfAddress: { max: 512, perSecond: 10, per: 'address', of: 'connections' },
  /** The rate of new streams. Ten connections of an address can begin with a hundred calls each. */
  newcomerStreams: { max: 16_384, perSecond: 1000, per: 'process', of: 'streams' },
  newcomerStreamsOfAddress: { max: 1024, perSecond: 100, per: 'address', of: 'streams' },
  /** The rate of streams that end before their response. */
  newcomerResets: { max: 1000, perSecond: 100, per: 'process', of: 'streams' },
  newcomerResetsOfAddress: { max: 100, perSecond: 10, per: 'address', of: 'streams' },
  /** The rate of bytes in frames of every kind. */
  newcomerBytes: { max: 32 * mebibyte, perSecond: 4 * mebibyte, per: 'process', of: 'bytes' },
  newcomerBytesOfAddress: { max: 4 * mebibyte, perSecond: 128 * kibibyte, per: 'address', of: 'bytes' },
  /**
   * Connections above the rate are not read until it is their turn. The last of an address waits six seconds.
   */
  newcomersWaiting: { max: 1024, per: 'process', of: 'connections' },
  newcomersWaitingOfAddress: { max: 64, per: 'address', of: 'connections' },

  // Command host, after a token was accepted.

  /**
   * Node counts an ended stream until the next event-loop turn, and closes a connection after a hundred
   * streams above the limit. A client can cancel 2,048 calls and repeat them at once.
   */
  commandStreams: { max: 4096, per: 'connection', of: 'streams' },
  commandStreamsOfAccount: { max: 4096, per: 'account', of: 'streams' },
  /** A hundred times the largest valid message, a comment. It applies before and after decompression. */
  commandMessageBytes: { max: 4 * mebibyte, per: 'request', of: 'bytes' },
  /** Bytes of requests that arrive or are in progress. */
  commandBytesPerAccount: { max: 8 * mebibyte, per: 'account', of: 'bytes' },
  /** A proxy carries several accounts on one connection. */
  commandBytesPerConnection: { max: 16 * mebibyte, per: 'connection', of: 'bytes' },
  commandBytes: { max: 32 * mebibyte, per: 'process', of: 'bytes' },
  /** Messages that are being decompressed. */
  commandUnpacking: { max: 4, per: 'process', of: 'requests' },
  commandUnpackingWaiting: { max: 10_000, per: 'process', of: 'requests' },

  // Command host: reflection and health. They need no token.

  /** A load balancer has one or two watches open. */
  unauthenticatedStreamsPerConnection: { max: 8, per: 'connection', of: 'streams' },
  unauthenticatedStreamsPerAddress: { max: 64, per: 'address', of: 'streams' },
  unauthenticatedStreams: { max: 1024, per: 'process', of: 'streams' },
  /** The longest request contains the name of a symbol. */
  unauthenticatedMessageBytes: { max: 4 * kibibyte, per: 'request', of: 'bytes' },
  /** Messages of one stream that wait for the response to an earlier message. */
  unauthenticatedMessages: { max: 400, per: 'request', of: 'requests' },

  // Bank.

  /** A connection takes a few kilobytes. */
  bankConnections: { max: 8192, per: 'host', of: 'connections' },
  bankConnectionsOfAddress: { max: 4096, per: 'address', of: 'connections' },
  /** The longest necessary body has 300 bytes. The rest allows unknown fields and white space. */
  bankBodyBytes: { max: 8 * kibibyte, per: 'request', of: 'bytes' },
  /** Pipelined requests that wait for a response to an earlier request. Load generators send some dozens. */
  bankRequestsAhead: { max: 1000, per: 'connection', of: 'requests' },
  /** Bytes of pipelined requests. */
  bankAheadBytes: { max: 256 * kibibyte, per: 'connection', of: 'bytes' },
  bankAheadBytesOfAll: { max: 32 * mebibyte, per: 'process', of: 'bytes' },

  // Store: transactions and keyed writes.

  /** More transactions would only wait for the same locks. */
  storeTransactions: { max: 12, per: 'process', of: 'statements' },
  /**
   * The transactions of two accounts may wait for locks without blocking other accounts. The limit is higher
   * than `keyedWritesOfAccount`, so that a user can still end sessions. The identity host counts per address,
   * and so do the other hosts for requests without a session.
   */
  storeTransactionsOfAccount: { max: 5, per: 'account', of: 'statements' },
  storeTransactionsWaiting: { max: 10_000, per: 'process', of: 'requests' },
  /** The same as `commandStreamsOfAccount`, so a burst of commands is accepted. */
  storeTransactionsWaitingOfAccount: { max: 4096, per: 'account', of: 'requests' },
  /** A group commit writes the rows of several callers. It hardly waits for locks, so two are enough. */
  storeGroupCommits: { max: 2, per: 'process', of: 'statements' },

  /**
   * Writes with an Idempotency-Key. Each holds a connection, and a change of password needs a second one. The
   * limit is half of `storeTransactions`, to leave room for second connections and other writes.
   */
  keyedWrites: { max: 6, per: 'process', of: 'statements' },
  keyedWritesOfAccount: { max: 4, per: 'account', of: 'statements' },
  keyedWritesWaiting: { max: 2000, per: 'process', of: 'requests' },
  keyedWritesWaitingOfAccount: { max: 500, per: 'account', of: 'requests' },
  /** Idempotency keys are stored for a day, so an account can use about one per second. */
  keysOfAccount: { max: 100_000, per: 'account', of: 'requests' },
  /** Stored responses. This fits 100,000 responses of 670 bytes. */
  keyedAnswerBytesOfAccount: { max: 64 * mebibyte, per: 'account', of: 'bytes' },

  // Lists, exports and live listings. `src/db/limited-reads.ts` composes the names from kind, speed and
  // holder, such as `lists` + `Quick` + `OfAccount`. A list that takes longer than 40 ms is stopped and
  // restarted as a slow list.

  /** All quick lists share one connection. */
  listsQuick: { max: 64, per: 'process', of: 'statements' },
  /** If a list of an account was stopped, its lists do not use the shared connection for the next minute. */
  listsQuickOfAccount: { max: 4, per: 'account', of: 'statements' },
  /** A slow list keeps a core of the database busy for 2.5 seconds at most. */
  listsSlow: { max: 4, per: 'process', of: 'statements' },
  listsSlowOfAccount: { max: 2, per: 'account', of: 'statements' },
  listsWaiting: { max: 2000, per: 'process', of: 'requests' },
  listsWaitingOfAccount: { max: 500, per: 'account', of: 'requests' },

  /** docs/decisions/0062-exports.md explains how exports share connections. */
  exports: { max: 2, per: 'process', of: 'statements' },
  exportsOfAccount: { max: 1, per: 'account', of: 'statements' },
  exportsWaiting: { max: 500, per: 'process', of: 'requests' },
  exportsWaitingOfAccount: { max: 4, per: 'account', of: 'requests' },
  /** Rows that were read and not sent yet. Reading pauses when the limit is reached. */
  exportBytesOfAccount: { max: 16 * mebibyte, per: 'account', of: 'bytes' },
  exportBytes: { max: 64 * mebibyte, per: 'process', of: 'bytes' },

  /** The snapshots of live listings have their own limits, because they belong to no request. */
  liveListsQuick: { max: 16, per: 'process', of: 'statements' },
  liveListsQuickOfAccount: { max: 4, per: 'account', of: 'statements' },
  liveListsSlow: { max: 2, per: 'process', of: 'statements' },
  liveListsSlowOfAccount: { max: 1, per: 'account', of: 'statements' },
  liveListsWaiting: { max: 2000, per: 'process', of: 'requests' },
  liveListsWaitingOfAccount: { max: 100, per: 'account', of: 'requests' },
} as const satisfies Readonly<Record<string, BudgetLimit>>

export type BudgetName = keyof typeof budgetLimits
export type Budgets = BudgetsOf<BudgetName>

/** Called once per process. `processes` is the number of processes that serve the same ports. */
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
 * Returns the limit of one process. Limits per address and per host are divided by the number of processes,
 * because connections are distributed evenly. Limits of hashes are divided because all processes share the
 * same cores.
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

export const connectionsDefault = 25
/** This leaves one connection for each other kind of work, and three for transactions. */
export const connectionsMin = 10
export const connectionsMax = 200

/** Single reads, quick lists and the snapshots of live listings each share one connection. */
const sharedConnections = 3
const ownConnections = ['listsSlow', 'liveListsSlow', 'exports', 'storeGroupCommits'] as const

/** Scales the limits in the table to a number of connections. */
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
