import { type BudgetLimit, type Budgets as BudgetsOf, createBudgets } from '../model/budget.ts'

const kibibyte = 1024
const mebibyte = 1024 ** 2

/**
 * Who may make a process keep how many bytes, connections, streams, statements and hashes at once. Every such number
 * stands here and nowhere else. `/metrics` shows those that are counted; those per request are limits that a request meets
 * alone. How they fit together: docs/decisions/0040-budgets-before-work.md.
 */
export const budgetLimits = {
  /** Beyond any crowd one process can serve; each idle connection costs about 10 KB. */
  httpConnections: { max: 20_000, per: 'host', of: 'connections' },
  /** A large office behind one address, with live listings. Behind proxies, which are one address each, it is theirs to limit. */
  httpConnectionsOfAddress: { max: 4096, per: 'address', of: 'connections' },
  /** About 20 MB of windows when full; the oldest is forgotten for a new one. */
  limiterAddresses: { max: 100_000, per: 'host', of: 'requests' },
  /**
   * Log lines that no accepted token stands behind, for each kind of line: about 250 bytes each, so a flood writes a
   * gigabyte a day and host at most. Beyond it a written line says how many others it stands for.
   */
  unauthenticatedLines: { max: 1000, perSecond: 50, per: 'host', of: 'lines' },

  /** Bodies of requests that are answered before them, such as those of 401, 404, 413 and 429: some large uploads at once. */
  unreadBodyBytes: { max: 64 * mebibyte, perSecond: 8 * mebibyte, per: 'process', of: 'bytes' },
  unreadBodyBytesOfAddress: { max: 16 * mebibyte, perSecond: mebibyte, per: 'address', of: 'bytes' },

  /** Hundreds of times the longest legal record. The token is accepted before a byte of it is read. */
  restBodyBytes: { max: mebibyte, per: 'request', of: 'bytes' },
  /** A thousand items of four kilobytes; four are under way at once. */
  batchBodyBytes: { max: 4 * mebibyte, per: 'request', of: 'bytes' },
  /** From before the body is read until the answer is made; each holds a connection to the store for about a second. */
  batches: { max: 4, per: 'process', of: 'requests' },
  batchesOfAccount: { max: 2, per: 'account', of: 'requests' },
  /** They hold nothing but their headers. */
  batchesWaiting: { max: 200, per: 'process', of: 'requests' },
  batchesWaitingOfAccount: { max: 20, per: 'account', of: 'requests' },
  /** Answers being compressed, each about half a megabyte; any more are sent as they are. */
  restCompressions: { max: 8, per: 'process', of: 'requests' },
  /** Each holds a connection and a few kilobytes. */
  liveListings: { max: 10_000, per: 'host', of: 'streams' },
  /** As many as somebody has windows and tabs. */
  liveListingsOfAccount: { max: 20, per: 'account', of: 'streams' },
  /** Newest snapshots, and those that clients have not read yet: two of the largest pages, or twenty of 100 long records. */
  liveBytesOfAccount: { max: 16 * mebibyte, per: 'account', of: 'bytes' },
  /** What many listen to is counted once. */
  liveBytes: { max: 64 * mebibyte, per: 'process', of: 'bytes' },

  /** Messages on their way to webhooks; each waits ten seconds at most. */
  webhookRequests: { max: 32, per: 'process', of: 'requests' },

  /** Twice the longest sign-in form, whose pending request is the largest part of it. */
  identityBodyBytes: { max: 16 * kibibyte, per: 'request', of: 'bytes' },
  /** Mails for a new password in an hour; further requests get the same answer, and no mail. */
  passwordMailsOfAddress: { max: 20, per: 'address', of: 'requests' },
  passwordMailsOfAccount: { max: 3, per: 'account', of: 'requests' },
  /** In a day, of those that somebody who is signed in has sent to others. */
  mailsOfAccount: { max: 50, per: 'account', of: 'requests' },
  /** In the store, not sent yet: what a server that is down for a day may leave behind. */
  mailsWaiting: { max: 2000, per: 'host', of: 'requests' },
  /** Being sent; each waits for the server for twenty seconds at most. */
  mailsAtOnce: { max: 4, per: 'process', of: 'requests' },
  /** In a row, however long it takes: then the app's codes count no more until somebody has signed in another way. */
  wrongCodesOfAccount: { max: 20, per: 'account', of: 'requests' },
  /** Requests to outside providers; each waits five seconds at most. */
  outsideRequests: { max: 32, per: 'process', of: 'requests' },
  /**
   * Sign-ins under way at outside providers, in the store for a quarter of an hour: an office behind one address has a few. Over
   * the second number the oldest are forgotten, by the upkeep.
   */
  outsideAttemptsOfAddress: { max: 200, per: 'address', of: 'requests' },
  outsideAttempts: { max: 20_000, per: 'host', of: 'requests' },
  /** A discovery document or a set of keys has some kilobytes. */
  outsideAnswerBytes: { max: 256 * kibibyte, per: 'request', of: 'bytes' },
  /** More would only share the same cores, at 64 MiB each. */
  passwordHashes: { max: 4, per: 'process', of: 'hashes' },
  /** At about 0.1 s each the last one waits half a second. */
  passwordHashesWaiting: { max: 16, per: 'process', of: 'requests' },

  /** No route of these hosts needs a body at all. */
  webBodyBytes: { max: kibibyte, per: 'request', of: 'bytes' },
  diagnosticsBodyBytes: { max: kibibyte, per: 'request', of: 'bytes' },

  /** As on the HTTP hosts. */
  commandConnections: { max: 20_000, per: 'host', of: 'connections' },
  /** What every client assumes before it knows the limit (RFC 9113, 6.5.2), so that none is refused a stream at its start. */
  commandStreamsBeforeToken: { max: 100, per: 'connection', of: 'streams' },
  /**
   * Connections without an accepted token, idle ones and half prefaces included: about 30 KB each. Beyond it, the address that has
   * most loses its oldest. Both are higher than the number of new connections at once below, so that the oldest one has had seconds
   * to show a token.
   */
  newcomers: { max: 2048, per: 'process', of: 'connections' },
  newcomersOfAddress: { max: 640, per: 'address', of: 'connections' },
  /**
   * New connections, streams, and streams that end before their answer. The first two are given back with an accepted token, so
   * these are the rates of clients that never show one.
   */
  newcomerConnections: { max: 1536, perSecond: 200, per: 'process', of: 'connections' },
  newcomerConnectionsOfAddress: { max: 512, perSecond: 10, per: 'address', of: 'connections' },
  /** Ten connections of one address may begin with a hundred calls each. */
  newcomerStreams: { max: 16_384, perSecond: 1000, per: 'process', of: 'streams' },
  newcomerStreamsOfAddress: { max: 1024, perSecond: 100, per: 'address', of: 'streams' },
  newcomerResets: { max: 1000, perSecond: 100, per: 'process', of: 'streams' },
  newcomerResetsOfAddress: { max: 100, perSecond: 10, per: 'address', of: 'streams' },
  /** Frames of every kind: forty times a hundred calls with their headers, or sixty-four windows of messages. */
  newcomerBytesOfAddress: { max: 4 * mebibyte, perSecond: 128 * kibibyte, per: 'address', of: 'bytes' },
  /** Connections beyond the rate wait unread, a socket each; the last one of an address waits for six seconds. */
  newcomersWaiting: { max: 1024, per: 'process', of: 'connections' },
  newcomersWaitingOfAddress: { max: 64, per: 'address', of: 'connections' },
  /**
   * Once a token was accepted. Node counts a stream until the turn of its loop after it ended, and resets a new one on a full
   * connection, the connection too after a hundred: so there is room for a client that cancels 2,048 calls and makes them anew.
   */
  commandStreams: { max: 4096, per: 'connection', of: 'streams' },
  /** Over all its connections: as many as one may have. */
  commandStreamsOfAccount: { max: 4096, per: 'account', of: 'streams' },
  /** Requests that arrive or are worked on, packed and unpacked: two of the largest, or hundreds of ordinary ones. */
  commandBytesPerAccount: { max: 8 * mebibyte, per: 'account', of: 'bytes' },
  /** A proxy brings several accounts on one connection. */
  commandBytesPerConnection: { max: 16 * mebibyte, per: 'connection', of: 'bytes' },
  commandBytes: { max: 32 * mebibyte, per: 'process', of: 'bytes' },
  /** A packed message may become the largest before anybody knows; they are unpacked a few at a time. */
  commandUnpacking: { max: 4, per: 'process', of: 'requests' },
  commandUnpackingWaiting: { max: 10_000, per: 'process', of: 'requests' },
  /** Reflection and health, for callers without a token: a load balancer holds one or two watches. */
  unauthenticatedStreamsPerConnection: { max: 8, per: 'connection', of: 'streams' },
  unauthenticatedStreamsPerAddress: { max: 64, per: 'address', of: 'streams' },
  unauthenticatedStreams: { max: 1024, per: 'process', of: 'streams' },
  /** The longest question is the name of a symbol. */
  unauthenticatedMessageBytes: { max: 4 * kibibyte, per: 'request', of: 'bytes' },
  /** Questions of one stream that wait for the answer to the one before. */
  unauthenticatedMessages: { max: 400, per: 'request', of: 'requests' },
  /** Larger messages are refused before they are kept, packed or not; the largest legal one has a tenth of it. */
  commandMessageBytes: { max: 4 * mebibyte, per: 'request', of: 'bytes' },

  /** A few kilobytes each; every instance has as many. */
  bankConnections: { max: 8192, per: 'host', of: 'connections' },
  /** Half of them, so that nobody alone takes all; a balancer in front, which is one address, needs far fewer. */
  bankConnectionsOfAddress: { max: 4096, per: 'address', of: 'connections' },
  /** Room for unknown fields and generous white space; the longest body that needs it has 300 bytes. */
  bankBodyBytes: { max: 8 * kibibyte, per: 'request', of: 'bytes' },
  /** Nobody has to send ahead of the answers; tools that measure send some dozens of requests. */
  bankRequestsAhead: { max: 1000, per: 'connection', of: 'requests' },
  bankAheadBytes: { max: 256 * kibibyte, per: 'connection', of: 'bytes' },
  bankAheadBytesOfAll: { max: 32 * mebibyte, per: 'process', of: 'bytes' },

  /** Enough writers for group commit to pay; more only wait for the same locks. */
  storeTransactions: { max: 12, per: 'process', of: 'statements' },
  /**
   * Each may wait for a row that a transaction of the same account holds for seconds: two such accounts leave room for others. One
   * more than its keyed writes, so that somebody can end their sign-ins meanwhile. On the identity host, and where nobody has signed
   * in, those of an address are counted together.
   */
  storeTransactionsOfAccount: { max: 5, per: 'account', of: 'statements' },
  /** Each is a request that waits, with what it keeps. */
  storeTransactionsWaiting: { max: 10_000, per: 'process', of: 'requests' },
  /** As many as an account may have commands under way: what comes at once and is quick is done before anybody is told to wait. */
  storeTransactionsWaitingOfAccount: { max: 4096, per: 'account', of: 'requests' },
  /** Writes of several callers in one; they wait for hardly any lock, so two are enough. */
  storeGatheredWrites: { max: 2, per: 'process', of: 'statements' },

  /**
   * Writes with an Idempotency-Key. Each holds a connection from the claim of its key on, and a change of password needs a
   * second one: half of them are left to those and to everybody else.
   */
  keyedWrites: { max: 6, per: 'process', of: 'statements' },
  keyedWritesOfAccount: { max: 4, per: 'account', of: 'statements' },
  keyedWritesWaiting: { max: 2000, per: 'process', of: 'requests' },
  keyedWritesWaitingOfAccount: { max: 500, per: 'account', of: 'requests' },
  /** What the store keeps of a day: a request a second, of answers as small as those of the contract. */
  keysOfAccount: { max: 100_000, per: 'account', of: 'requests' },
  keyedAnswerBytesOfAccount: { max: 64 * mebibyte, per: 'account', of: 'bytes' },

  /** Under way on the one connection that lists share: the last of them waits for those before it. */
  listsQuick: { max: 64, per: 'process', of: 'statements' },
  /** Each holds the shared connection up for 40 ms at most, once a minute. */
  listsQuickOfAccount: { max: 4, per: 'account', of: 'statements' },
  /** Each keeps a core of the store busy, for 2.5 s at most. */
  listsSlow: { max: 4, per: 'process', of: 'statements' },
  listsSlowOfAccount: { max: 2, per: 'account', of: 'statements' },
  /** Each is a request that waits, with what it keeps: some kilobytes. */
  listsWaiting: { max: 2000, per: 'process', of: 'requests' },
  listsWaitingOfAccount: { max: 500, per: 'account', of: 'requests' },

  /** Each holds a connection while it is read ahead of its reader; a slow reader gives way to others (0062). */
  exports: { max: 2, per: 'process', of: 'statements' },
  exportsOfAccount: { max: 1, per: 'account', of: 'statements' },
  /** Each is a request that waits, with what it keeps: some kilobytes. */
  exportsWaiting: { max: 500, per: 'process', of: 'requests' },
  exportsWaitingOfAccount: { max: 4, per: 'account', of: 'requests' },
  /** Read and not taken yet: about 100,000 rows of an account. What has no room here keeps its connection waiting. */
  exportBytesOfAccount: { max: 16 * mebibyte, per: 'account', of: 'bytes' },
  exportBytes: { max: 64 * mebibyte, per: 'process', of: 'bytes' },

  /** The same for the snapshots of live listings, which are nobody's request once the stream is open. */
  liveListsQuick: { max: 16, per: 'process', of: 'statements' },
  liveListsQuickOfAccount: { max: 4, per: 'account', of: 'statements' },
  liveListsSlow: { max: 2, per: 'process', of: 'statements' },
  liveListsSlowOfAccount: { max: 1, per: 'account', of: 'statements' },
  liveListsWaiting: { max: 2000, per: 'process', of: 'requests' },
  liveListsWaitingOfAccount: { max: 100, per: 'account', of: 'requests' },
} as const satisfies Readonly<Record<string, BudgetLimit>>

export type BudgetName = keyof typeof budgetLimits
export type Budgets = BudgetsOf<BudgetName>

/** Once a process; tests may have their own numbers, and their own clock for the rates. */
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
