import { createPasswords } from '../../src/accounts/passwords.ts'

/** Cheap hashes, for tests that are not about hashing. As in a deployment, each host has its own queue. */
export const cheapPasswords = () => createPasswords({ memoryMebibytes: 1, passes: 1, lanes: 1 })

/** The password of every account for which a test sets no other. */
export const password = 'Correct-Horse-1'

let hash: Promise<string> | undefined

/** Returns the hash of `password`. All accounts share it. */
export function passwordHash(): Promise<string> {
  hash ??= cheapPasswords().hash(password)
  return hash
}
