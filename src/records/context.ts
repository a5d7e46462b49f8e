import type { Administrators } from '../accounts/administrators.ts'
import type { Passwords } from '../accounts/passwords.ts'
import type { Budgets } from '../config/budgets.ts'
import type { Database } from '../db/database.ts'
import type { ParseOptions } from '../model/field.ts'
import type { WorkerPeers } from '../model/worker-peers.ts'
import type { SecurityLog } from '../observability/security-log.ts'

/** The part of the context that all hosts of a process share. */
export interface SharedContext extends ParseOptions {
  readonly database: Database
  readonly passwords: Passwords
  readonly budgets: Budgets
  readonly peers?: WorkerPeers | undefined
}

/**
 * The context of every operation on records, such as create, get and list. Each host adds its own properties
 * in its main file.
 */
export interface Context extends SharedContext {
  readonly administrators: Administrators
  readonly securityLog?: SecurityLog
}
