import { duplicate } from '../model/problem.ts'
import { violatedUniqueConstraint } from './failures.ts'

/** One answer for a duplicate, whether it was found before the write or by a unique index during it. */
export function duplicateProblem(error: unknown, { table }: { readonly table: string }) {
  const constraint = violatedUniqueConstraint(error)
  if (constraint === `${table}_pkey`) return idTaken()
  return constraint === 'users_login_active' ? loginTaken() : undefined
}

export const idTaken = () => duplicate('id', 'Id is already taken.')
export const loginTaken = () => duplicate('login', 'Login is already used by an active account.')
