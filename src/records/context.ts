import type { Passwords } from '../accounts/passwords.ts'
import type { Budgets } from '../config/budgets.ts'
import type { Database } from '../db/database.ts'
import type { ReadingRules } from '../model/field.ts'
import type { SecurityLog } from '../observability/security-log.ts'

/** Where every verb works. */
export interface Tracker extends ReadingRules {
  readonly database: Database
  readonly passwords: Passwords
  /** Of the process, whose hosts share them. */
  readonly budgets: Budgets
  /** Of the host that works with it. */
  readonly securityLog?: SecurityLog
}
