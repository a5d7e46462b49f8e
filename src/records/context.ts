import type { Passwords } from '../accounts/passwords.ts'
import type { Budgets } from '../config/budgets.ts'
import type { Database } from '../db/database.ts'
import type { ReadingRules } from '../model/field.ts'
import type { SecurityLog } from '../observability/security-log.ts'

/** The context in which every verb works. */
export interface Context extends ReadingRules {
  readonly database: Database
  readonly passwords: Passwords
  /** Shared by all hosts of the process. */
  readonly budgets: Budgets
  /** Set by the host that uses the context. */
  readonly securityLog?: SecurityLog
}
