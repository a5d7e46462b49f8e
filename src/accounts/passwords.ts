import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { type Algorithm, hash, type Options, parseOptions, verify } from '@node-rs/argon2'
import { type Budgets, openBudgets } from '../config/budgets.ts'
import { limitConcurrency } from '../model/budget.ts'
import { passwordCharactersMin } from '../model/field-kinds.ts'
import { normalizeLogin } from './sign-in.ts'

export interface Passwords {
  /** Returns a PHC string. The password is not trimmed. */
  hash(password: string): Promise<string>
  verify(storedHash: string, password: string): Promise<boolean>
  /**
   * Takes as long as `verify`. It is called for logins without an account, so that the response time does not
   * reveal which logins exist.
   */
  verifyForUnknownLogin(password: string): Promise<false>
}

/** The parameters of Argon2. The contract prescribes the defaults. */
export interface PasswordOptions {
  readonly memoryMebibytes?: number
  readonly passes?: number
  readonly lanes?: number
}

/** Tests inject an implementation that counts its calls. */
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
  const absentHash = unmatchableHash(argon2id)
  // Creating a hash costs as much as verifying a hash, so both share a limit.
  const runLimited = limitConcurrency({
    atOnce: budgets.budget('passwordHashes'),
    waiting: budgets.budget('passwordHashesWaiting'),
    retryAfterSeconds,
  })
  const verifyForUnknownLogin = async (password: string): Promise<false> => {
    await runLimited(() => argon2.verify(absentHash, password))
    return false
  }
  return {
    hash: (password) => runLimited(() => argon2.hash(password, argon2id)),
    // UTF-8 encodes all lone surrogates as the same character, so a password with a lone surrogate never
    // matches.
    verify: (storedHash, password) =>
      isUsable(storedHash) && password.isWellFormed()
        ? runLimited(() => argon2.verify(storedHash, password))
        : verifyForUnknownLogin(password),
    verifyForUnknownLogin,
  }
}

type Argon2Options = Required<Pick<Options, 'algorithm' | 'memoryCost' | 'timeCost' | 'parallelism'>>

/** The value of `Algorithm.Argon2id`, which exists only in the types of the package. */
const argon2idAlgorithm: Algorithm = 2

const argon2Options = ({ memoryMebibytes = 64, passes = 3, lanes = 2 }: PasswordOptions): Argon2Options => ({
  algorithm: argon2idAlgorithm,
  memoryCost: memoryMebibytes * 1024,
  timeCost: passes,
  parallelism: lanes,
})

/** The salt and the digest consist of zero bits. No known password has this digest. */
const unmatchableHash = ({ memoryCost, timeCost, parallelism }: Argon2Options): string =>
  `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$${'A'.repeat(22)}$${'A'.repeat(43)}`

/** A stored hash determines how much memory its verification needs. */
const memoryKibibytesMax = 256 * 1024

/**
 * Returns whether the text is a hash that can be verified. An account without a password has another text.
 */
function isUsable(storedHash: string): boolean {
  try {
    return parseOptions(storedHash).memoryCost <= memoryKibibytesMax
  } catch {
    return false
  }
}

/**
 * Returns the problem of a password that is easily guessed: it is the login or one of the 19,640 most common
 * passwords. Case and surrounding punctuation are ignored.
 */
export function whyGuessable(password: string, login: string | undefined): string | undefined {
  const forms = formsOf(password)
  if (forms.some((form) => commonPasswords().has(form))) return 'is one of the most common passwords'
  if (login !== undefined && forms.some((form) => loginForms(login).includes(form)))
    return 'must not be the login'
  return undefined
}

/**
 * Returns the text in lower case, with and without surrounding punctuation. Forms that are too short for a
 * password are dropped.
 */
function formsOf(text: string): readonly string[] {
  const lower = text.toLowerCase()
  const trimmed = lower.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '')
  return [lower, trimmed].filter((form) => form.length >= passwordCharactersMin)
}

/** Returns the forms of the login, and of the local part of a mail address. */
function loginForms(login: string): readonly string[] {
  const whole = normalizeLogin(login)
  return [...formsOf(whole), ...formsOf(whole.split('@', 1)[0] ?? '')]
}

// The most common passwords of published leaks, in lower case, one per line. This is the list by Royce
// Williams in Django 5.2 (django/contrib/auth/common-passwords.txt.gz, BSD licence).
const commonPasswordFile = new URL('./common-passwords.txt.gz', import.meta.url)

let commonPasswordSet: ReadonlySet<string> | undefined

/** Loads the list when the first new password is checked. Most processes never need it. */
function commonPasswords(): ReadonlySet<string> {
  commonPasswordSet ??= new Set(
    gunzipSync(readFileSync(commonPasswordFile))
      .toString('utf8')
      .split('\n')
      .filter((line) => line !== ''),
  )
  return commonPasswordSet
}
