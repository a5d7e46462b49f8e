import type { Http2Session, ServerHttp2Session } from 'node:http2'
import { budgetLimits } from '../../configuration/budgets.ts'

/** Connections on which a token was accepted. */
export interface TrustedConnections {
  has(connection: Http2Session): boolean
  add(connection: Http2Session | undefined): void
}

/**
 * A new connection may have as many streams as every client assumes before it knows the limit; a token that was accepted on it
 * opens more. The client learns that before it has its first answer, so no well-behaved client is refused for a stream that it
 * opened while this host had not forgotten an ended one yet.
 */
export function createTrustedConnections(): TrustedConnections {
  const trusted = new WeakSet<Http2Session>()
  return {
    has: (connection) => trusted.has(connection),
    add(connection) {
      if (!connection || trusted.has(connection) || connection.destroyed) return
      trusted.add(connection)
      ;(connection as ServerHttp2Session).settings({ maxConcurrentStreams: budgetLimits.commandStreams.max })
    },
  }
}
