import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { createLog } from '../http/log.ts'
import type { Caller } from '../model/caller.ts'
import { createSecurityLog, type SecurityLog } from '../observability/security-log.ts'

/** Relates the entries of one command in the history and the log, as the id of a request does. */
const runId = randomUUID()

/**
 * Returns the operator of the command line as a caller. Operators have no account, so the history shows the
 * changed account as the author, with the client id `command line`. No other client can have this id, because it
 * contains a space.
 */
export const operatorOf = (accountId: string): Caller => ({
  id: accountId,
  isAdministrator: true,
  origin: { address: hostname(), requestId: runId, clientId: 'command line' },
})

/** Logs to standard error, because standard output is for the result of the command. */
export const openSecurityLog = (): SecurityLog =>
  createSecurityLog(
    createLog({
      level: 'info',
      host: 'cli',
      destination: process.stderr,
      isTerminal: process.stderr.isTTY === true,
    }),
  )
