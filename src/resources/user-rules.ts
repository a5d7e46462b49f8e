import { endSignIns } from '../accounts/end-sign-ins.ts'
import { guessableProblem } from '../accounts/guessable-password.ts'
import type { Passwords } from '../accounts/passwords.ts'
import { invalid } from '../model/problem.ts'
import type { Queries } from '../store/database.ts'
import type { Row, Values } from '../store/rows.ts'
import { sql } from '../store/sql.ts'

/** The password itself is never stored. */
export async function hashPassword({ password, ...rest }: Values, passwords: Passwords): Promise<Values> {
  return typeof password === 'string' ? { ...rest, passwordHash: await passwords.hash(password) } : rest
}

/** Who is restored is who they were, but without the role: nobody saw it in the list meanwhile, and could have taken it. */
export async function endAccess(transaction: Queries, userIds: readonly string[]): Promise<void> {
  await endSignIns(transaction, userIds)
  await transaction.query(sql`delete from administrators where user_id = any(${userIds}::uuid[])`)
}

export async function endSignInsWhenCredentialsChange(
  transaction: Queries,
  before: Row,
  after: Row,
  { passwordHash }: Values,
) {
  if (passwordHash !== undefined || before.login !== after.login) await endSignIns(transaction, [after.id])
}

/** The login of the same body; that of the store where the body has none. */
export function refuseGuessablePassword({ password, login }: { password?: string; login?: string }) {
  const problem = password === undefined ? undefined : guessableProblem(password, login)
  return problem === undefined ? undefined : { password: [`Password ${problem}.`] }
}

export function refuseStoredLoginAsPassword(before: Row, { password, login }: Values) {
  if (typeof password !== 'string' || login !== undefined) return
  const errors = refuseGuessablePassword({ password, login: String(before.login) })
  if (errors) throw invalid(errors)
}
