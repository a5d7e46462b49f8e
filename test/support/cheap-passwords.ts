import { createPasswords } from '../../src/accounts/passwords.ts'

/** Hashing is not what most tests are about. Each host has a queue of its own, as when it is deployed. */
export const cheapPasswords = () => createPasswords({ memoryMebibytes: 1, passes: 1, lanes: 1 })

/** The password of everybody who signs in, unless a test says otherwise. */
export const password = 'Correct-Horse-1'

let hash: Promise<string> | undefined

/** One hash for everybody: salts are not what most tests are about either. */
export function passwordHash(): Promise<string> {
  hash ??= cheapPasswords().hash(password)
  return hash
}
