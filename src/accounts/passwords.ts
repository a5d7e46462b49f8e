import { type Algorithm, hash, type Options, parseOptions, verify } from '@node-rs/argon2'
import { type Budgets, openBudgets } from '../configuration/budgets.ts'
import { limitConcurrency } from './limit-concurrency.ts'

export interface Passwords {
  /** A PHC string; the password is taken as it is, never trimmed. */
  hash(password: string): Promise<string>
  verify(storedHash: string, password: string): Promise<boolean>
  /** Takes the time of `verify` where there is no hash to compare with, so that nobody learns which logins exist. */
  verifyAbsent(password: string): Promise<false>
}

/** The parameters of the contract; tests of something else may lower them. */
export interface PasswordOptions {
  readonly memoryMebibytes?: number
  readonly passes?: number
  readonly lanes?: number
}

/** A test counts how often it computes, because equal work is what takes equal time. */
export interface Argon2 {
  hash(password: string, options: Options): Promise<string>
  verify(storedHash: string, password: string): Promise<boolean>
}

const retryAfterSeconds = 1

export function createPasswords(
  options: PasswordOptions = {},
  budgets: Budgets = openBudgets(),
  argon2: Argon2 = { hash, verify },
): Passwords {
  const argon2id = argon2Options(options)
  const absentHash = hashNobodyKnows(argon2id)
  // Making a hash takes the same memory and cores as verifying one, so both count against the same limit.
  const limited = limitConcurrency({
    atOnce: budgets.budget('passwordHashes'),
    waiting: budgets.budget('passwordHashesWaiting'),
    retryAfterSeconds,
  })
  const verifyAbsent = async (password: string): Promise<false> => {
    await limited(() => argon2.verify(absentHash, password))
    return false
  }
  return {
    hash: (password) => limited(() => argon2.hash(password, argon2id)),
    verify: (storedHash, password) =>
      isUsable(storedHash) && password.isWellFormed()
        ? limited(() => argon2.verify(storedHash, password))
        : verifyAbsent(password),
    verifyAbsent,
  }
}

type Argon2Options = Required<Pick<Options, 'algorithm' | 'memoryCost' | 'timeCost' | 'parallelism'>>

/** `Algorithm.Argon2id`; the package declares the names for the compiler only. */
const argon2idAlgorithm: Algorithm = 2

const argon2Options = ({ memoryMebibytes = 64, passes = 3, lanes = 2 }: PasswordOptions): Argon2Options => ({
  algorithm: argon2idAlgorithm,
  memoryCost: memoryMebibytes * 1024,
  timeCost: passes,
  parallelism: lanes,
})

/** Salt and digest are all zero bits, which no password is known to give. */
const hashNobodyKnows = ({ memoryCost, timeCost, parallelism }: Argon2Options): string =>
  `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$${'A'.repeat(22)}$${'A'.repeat(43)}`

/** A stored hash that asks for more would take the process down. */
const memoryKibibytesMax = 256 * 1024

/** Anything else in the column matches no password. */
function isUsable(storedHash: string): boolean {
  try {
    return parseOptions(storedHash).memoryCost <= memoryKibibytesMax
  } catch {
    return false
  }
}
