import { hash, verify } from '@node-rs/argon2'
import { createPasswords, type PasswordOptions } from '../../src/accounts/passwords.ts'
import { openBudgets } from '../../src/config/budgets.ts'

/** Records the cost of each hash that a verification computes, such as `$argon2id$v=19$m=1024,t=1,p=1`. */
export function countedPasswords(options: PasswordOptions) {
  const costs: string[] = []
  const passwords = createPasswords(options, openBudgets(), {
    hash,
    verify(stored, password) {
      costs.push(stored.split('$', 4).join('$'))
      return verify(stored, password)
    },
  })
  return { passwords, costs }
}
