import { createPasswords } from '../../src/accounts/passwords.ts'

/** Hashing is not what most tests are about. Each host has a queue of its own, as when it is deployed. */
export const cheapPasswords = () => createPasswords({ memoryMebibytes: 1, passes: 1, lanes: 1 })

/** The password of every account, unless a test says otherwise. */
export const password = 'Correct-Horse-1'

let hash: Promise<string> | undefined

/** One hash for all accounts: most tests are not about salts either. */
export function passwordHash(): Promise<string> {
  hash ??= cheapPasswords().hash(password)
  return hash
}
