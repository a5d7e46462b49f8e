import { createPasswords } from '../../src/accounts/passwords.ts'

/** Hashing is not what most tests are about; each host has a queue of its own, as where it is deployed. */
export const cheapPasswords = () => createPasswords({ memoryMebibytes: 1, passes: 1, lanes: 1 })

/** The password of everybody who signs in, unless a test says otherwise. */
export const password = 'Correct-Horse-1'

let hash: Promise<string> | undefined

/** The same for everybody: a salt of one's own is not what most tests are about either. */
export function passwordHash(): Promise<string> {
  hash ??= cheapPasswords().hash(password)
  return hash
}
