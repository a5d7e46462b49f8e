import { type BudgetLimit, type Budgets as BudgetsOf, createBudgets } from '../model/budget.ts'

const kibibyte = 1024
const mebibyte = 1024 ** 2

/**
 * The limits of bytes, connections, streams, statements and hashes that a process holds at once. Every such number is in this
 * table and nowhere else. `/metrics` shows those that are counted; a limit per request is met by that request alone. They are
 * explained together in docs/decisions/0040-budgets-before-work.md.
 */
export const budgetLimits = {
  /** More connections than one process can serve; each idle one costs about 10 KB. */
  httpConnections: { max: 20_000, per: 'host', of: 'connections' },
  /** A large office behind one address, with live listings. Proxies are one address each, and have to limit their own clients. */
  httpConnectionsOfAddress: { max: 4096, per: 'address', of: 'connections' },
  /** Requests of one connection that wait for their responses: clients that pipeline send a few, and half a megabyte could hold thousands. */
  pipelinedRequests: { max: 16, per: 'connection', of: 'requests' },
  /** About 20 MB of windows when full; the oldest is dropped for a new one. */
  limiterAddresses: { max: 100_000, per: 'host', of: 'requests' },
  /**
   * Log lines of requests without an accepted token, for each kind of line: about 250 bytes each, so a flood writes at most a
   * gigabyte a day and host. Beyond it, the next line reports how many were left out.
   */
  unauthenticatedLines: { max: 1000, perSecond: 50, per: 'host', of: 'lines' },

  /** Bodies of requests that are answered before them, such as those of 401, 404, 413 and 429: some large uploads at once. */
  unreadBodyBytes: { max: 64 * mebibyte, perSecond: 8 * mebibyte, per: 'process', of: 'bytes' },
  unreadBodyBytesOfAddress: { max: 16 * mebibyte, perSecond: mebibyte, per: 'address', of: 'bytes' },

  /** Hundreds of times the longest legal record. The token is verified before the first byte is read. */
  restBodyBytes: { max: mebibyte, per: 'request', of: 'bytes' },
  /** A thousand items of four kilobytes; four batches are in progress at once. */
  batchBodyBytes: { max: 4 * mebibyte, per: 'request', of: 'bytes' },
  /** Held until the response is made, from before the body is read; each holds a database connection for about a second. */
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
  /** Newest snapshots, and those that clients have not read yet: two of the largest pages, or twenty of 100 long records. */
  liveBytesOfAccount: { max: 16 * mebibyte, per: 'account', of: 'bytes' },
  /** A snapshot with many readers is counted once. */
  liveBytes: { max: 64 * mebibyte, per: 'process', of: 'bytes' },

  /** Requests to webhooks in flight; each waits ten seconds at most. */
  webhookRequests: { max: 32, per: 'process', of: 'requests' },

  /** Twice the longest sign-in form, most of which is its pending request. */
  identityBodyBytes: { max: 16 * kibibyte, per: 'request', of: 'bytes' },
  /** Mails for a new password in an hour; further requests get the same response, but no mail. */
  passwordMailsOfAddress: { max: 20, per: 'address', of: 'requests' },
  passwordMailsOfAccount: { max: 3, per: 'account', of: 'requests' },
  /** Daily limit of the mails that a signed-in user has sent to others. */
  mailsOfAccount: { max: 50, per: 'account', of: 'requests' },
  /** Unsent mails in the database: more than a server that is down for a day leaves behind. */
  mailsWaiting: { max: 2000, per: 'host', of: 'requests' },
  /** Mails being sent; each waits for the server for twenty seconds at most. */
  mailsAtOnce: { max: 4, per: 'process', of: 'requests' },
  /**
   * Consecutive wrong codes without a time limit, after which authenticator codes are rejected until the user signs in another
   * way.
   */
  wrongCodesOfAccount: { max: 20, per: 'account', of: 'requests' },
  /** Requests to external providers; each waits five seconds at most. */
  outsideRequests: { max: 32, per: 'process', of: 'requests' },
  /**
   * Sign-ins in progress at external providers, stored for a quarter of an hour: an office behind one address has a few. Beyond
   * the second number the upkeep deletes the oldest.
   */
  outsideAttemptsOfAddress: { max: 200, per: 'address', of: 'requests' },
  outsideAttempts: { max: 20_000, per: 'host', of: 'requests' },
  /** A discovery document or a set of keys has some kilobytes. */
  outsideAnswerBytes: { max: 256 * kibibyte, per: 'request', of: 'bytes' },
  /** More at a time would only share the same cores, at 64 MiB each. */
  passwordHashes: { max: 4, per: 'process', of: 'hashes' },
  /** The last one waits half a second, at about 0.1 s each. */
  passwordHashesWaiting: { max: 16, per: 'process', of: 'requests' },

  /** No route of this host needs a body. */
  webBodyBytes: { max: kibibyte, per: 'request', of: 'bytes' },
  diagnosticsBodyBytes: { max: kibibyte, per: 'request', of: 'bytes' },

  /** The same as on the HTTP hosts. */
  commandConnections: { max: 20_000, per: 'host', of: 'connections' },
  /** Every client assumes this many before it knows the limit (RFC 9113, 6.5.2), so none has a stream rejected at its start. */
  commandStreamsBeforeToken: { max: 100, per: 'connection', of: 'streams' },
  /**
   * Connections without an accepted token, including idle ones and partial prefaces: about 30 KB each. Beyond it, the address
   * that has most loses its oldest. Both are higher than the number of new connections at once below, so that the oldest one has
   * had seconds to show a token.
   */
  newcomers: { max: 2048, per: 'process', of: 'connections' },
  newcomersOfAddress: { max: 640, per: 'address', of: 'connections' },
  /**
   * New connections, streams, and streams that end before their response. The first two are released with an accepted token, so
   * these are the rates of clients that never show one.
   */
  newcomerConnections: { max: 1536, perSecond: 200, per: 'process', of: 'connections' },
  newcomerConnectionsOfAddress: { max: 512, perSecond: 10, per: 'address', of: 'connections' },
  /** Ten connections of one address may each begin with a hundred calls. */
  newcomerStreams: { max: 16_384, perSecond: 1000, per: 'process', of: 'streams' },
  newcomerStreamsOfAddress: { max: 1024, perSecond: 100, per: 'address', of: 'streams' },
  newcomerResets: { max: 1000, perSecond: 100, per: 'process', of: 'streams' },
  newcomerResetsOfAddress: { max: 100, perSecond: 10, per: 'address', of: 'streams' },
  /** Frames of every kind: forty times a hundred calls with their headers, or sixty-four windows of messages. */
  newcomerBytes: { max: 32 * mebibyte, perSecond: 4 * mebibyte, per: 'process', of: 'bytes' },
  newcomerBytesOfAddress: { max: 4 * mebibyte, perSecond: 128 * kibibyte, per: 'address', of: 'bytes' },
  /** Connections beyond the rate wait unread, a socket each; the last one of an address waits six seconds. */
  newcomersWaiting: { max: 1024, per: 'process', of: 'connections' },
  newcomersWaitingOfAddress: { max: 64, per: 'address', of: 'connections' },
  /**
   * Applies once a token was accepted. Node counts a stream until the turn of its loop after it ended; on a full connection it
   * resets a new one, and after a hundred of these the connection. So there is room for a client that cancels 2,048 calls and
   * makes them again.
   */
  commandStreams: { max: 4096, per: 'connection', of: 'streams' },
  /** The sum over all connections of the account: as many as one of them may have. */
  commandStreamsOfAccount: { max: 4096, per: 'account', of: 'streams' },
  /** Requests that arrive or are in progress, compressed and uncompressed: two of the largest, or hundreds of ordinary ones. */
  commandBytesPerAccount: { max: 8 * mebibyte, per: 'account', of: 'bytes' },
  /** A proxy carries several accounts on one connection. */
  commandBytesPerConnection: { max: 16 * mebibyte, per: 'connection', of: 'bytes' },
  commandBytes: { max: 32 * mebibyte, per: 'process', of: 'bytes' },
  /** A compressed message can turn out to be the largest, so only a few are decompressed at a time. */
  commandUnpacking: { max: 4, per: 'process', of: 'requests' },
  commandUnpackingWaiting: { max: 10_000, per: 'process', of: 'requests' },
  /** Reflection and health, for callers without a token: a load balancer has one or two watches open. */
  unauthenticatedStreamsPerConnection: { max: 8, per: 'connection', of: 'streams' },
  unauthenticatedStreamsPerAddress: { max: 64, per: 'address', of: 'streams' },
  unauthenticatedStreams: { max: 1024, per: 'process', of: 'streams' },
  /** The longest request contains the name of a symbol. */
  unauthenticatedMessageBytes: { max: 4 * kibibyte, per: 'request', of: 'bytes' },
  /** Requests of one stream that wait for the response to the one before. */
  unauthenticatedMessages: { max: 400, per: 'request', of: 'requests' },
  /** Larger messages are rejected before they are kept, compressed or not; the largest legal one has a tenth of it. */
  commandMessageBytes: { max: 4 * mebibyte, per: 'request', of: 'bytes' },

  /** Each takes a few kilobytes; every instance accepts as many. */
  bankConnections: { max: 8192, per: 'host', of: 'connections' },
  /**
   * Half of the connections, so that one address cannot take all; a load balancer, which is a single address,
   * needs far fewer.
   */
  bankConnectionsOfAddress: { max: 4096, per: 'address', of: 'connections' },
  /** Allows unknown fields and generous white space; the longest necessary body has 300 bytes. */
  bankBodyBytes: { max: 8 * kibibyte, per: 'request', of: 'bytes' },
  /** No client needs to send ahead of the responses; load generators send some dozens of requests. */
  bankRequestsAhead: { max: 1000, per: 'connection', of: 'requests' },
  bankAheadBytes: { max: 256 * kibibyte, per: 'connection', of: 'bytes' },
  bankAheadBytesOfAll: { max: 32 * mebibyte, per: 'process', of: 'bytes' },

  /** Enough writers for group commit to pay off; more would only wait for the same locks. */
  storeTransactions: { max: 12, per: 'process', of: 'statements' },
  /**
   * Each may wait for a row that a transaction of the same account holds for seconds: two such accounts leave room for others.
   * One more than its keyed writes, so that the user can still end sessions. On the identity host, and without a session, those
   * of an address are counted together.
   */
  storeTransactionsOfAccount: { max: 5, per: 'account', of: 'statements' },
  /** Each holds a waiting request and its data. */
  storeTransactionsWaiting: { max: 10_000, per: 'process', of: 'requests' },
  /** Equals the commands that an account may have in flight, so a burst of quick writes finishes before any of them waits. */
  storeTransactionsWaitingOfAccount: { max: 4096, per: 'account', of: 'requests' },
  /** Batched writes of several callers; they hardly wait for locks, so two are enough. */
  storeGatheredWrites: { max: 2, per: 'process', of: 'statements' },

  /**
   * Writes with an Idempotency-Key. Each holds a connection from the claim of its key on, and a change of password needs a second
   * one: half of them are left for those and for all other writes.
   */
  keyedWrites: { max: 6, per: 'process', of: 'statements' },
  keyedWritesOfAccount: { max: 4, per: 'account', of: 'statements' },
  keyedWritesWaiting: { max: 2000, per: 'process', of: 'requests' },
  keyedWritesWaitingOfAccount: { max: 500, per: 'account', of: 'requests' },
  /** The keys that are kept for a day: a request a second, with responses as small as those of the contract. */
  keysOfAccount: { max: 100_000, per: 'account', of: 'requests' },
  keyedAnswerBytesOfAccount: { max: 64 * mebibyte, per: 'account', of: 'bytes' },

  /** Lists in flight on the one connection that they share: the last waits for those before it. */
  listsQuick: { max: 64, per: 'process', of: 'statements' },
  /** Each occupies the shared connection for 40 ms at most, once a minute. */
  listsQuickOfAccount: { max: 4, per: 'account', of: 'statements' },
  /** Each keeps a core of the database busy, for 2.5 s at most. */
  listsSlow: { max: 4, per: 'process', of: 'statements' },
  listsSlowOfAccount: { max: 2, per: 'account', of: 'statements' },
  /** Each holds a waiting request with some kilobytes of data. */
  listsWaiting: { max: 2000, per: 'process', of: 'requests' },
  listsWaitingOfAccount: { max: 500, per: 'account', of: 'requests' },

  /** Each holds a connection while it reads ahead of its reader; a slow reader gives way to others (0062). */
  exports: { max: 2, per: 'process', of: 'statements' },
  exportsOfAccount: { max: 1, per: 'account', of: 'statements' },
  /** Each holds a waiting request with some kilobytes of data. */
  exportsWaiting: { max: 500, per: 'process', of: 'requests' },
  exportsWaitingOfAccount: { max: 4, per: 'account', of: 'requests' },
  /** Rows that were read and not sent yet: about 100,000 of an account. When it is full, its connection has to wait. */
  exportBytesOfAccount: { max: 16 * mebibyte, per: 'account', of: 'bytes' },
  exportBytes: { max: 64 * mebibyte, per: 'process', of: 'bytes' },

  /**
   * Like the lists above, for the snapshots of live listings, which belong to no request once the stream is
   * open.
   */
  liveListsQuick: { max: 16, per: 'process', of: 'statements' },
  liveListsQuickOfAccount: { max: 4, per: 'account', of: 'statements' },
  liveListsSlow: { max: 2, per: 'process', of: 'statements' },
  liveListsSlowOfAccount: { max: 1, per: 'account', of: 'statements' },
  liveListsWaiting: { max: 2000, per: 'process', of: 'requests' },
  liveListsWaitingOfAccount: { max: 100, per: 'account', of: 'requests' },
} as const satisfies Readonly<Record<string, BudgetLimit>>

export type BudgetName = keyof typeof budgetLimits
export type Budgets = BudgetsOf<BudgetName>

/** Called once per process; tests may pass their own numbers, and a clock for the rates. */
export const openBudgets = (
  ownMaxima: Partial<Record<BudgetName, number>> = {},
  now?: () => number,
): Budgets =>
  createBudgets(
    Object.fromEntries(
      Object.entries(budgetLimits).map(([name, limit]) => [
        name,
        { ...limit, max: ownMaxima[name as BudgetName] ?? limit.max },
      ]),
    ) as Record<BudgetName, BudgetLimit>,
    now,
  )
