import { endSignIns } from '../accounts/end-sign-ins.ts'
import type { Passwords } from '../accounts/passwords.ts'
import type { Queries } from '../store/database.ts'
import type { Row, Values } from '../store/rows.ts'

/** The password itself is never stored. */
export async function hashPassword({ password, ...rest }: Values, passwords: Passwords): Promise<Values> {
  return typeof password === 'string' ? { ...rest, passwordHash: await passwords.hash(password) } : rest
}

export async function endSignInsWhenCredentialsChange(
  transaction: Queries,
  before: Row,
  after: Row,
  { passwordHash }: Values,
) {
  if (passwordHash !== undefined || before.login !== after.login) await endSignIns(transaction, [after.id])
}
