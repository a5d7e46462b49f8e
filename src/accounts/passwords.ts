import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { type Algorithm, hash, type Options, parseOptions, verify } from '@node-rs/argon2'
import { type Budgets, openBudgets } from '../config/budgets.ts'
import { limitConcurrency } from '../model/budget.ts'
import { passwordCharactersMin } from '../model/field-kinds.ts'
import { normalizeLogin } from './sign-in.ts'

export interface Passwords {
  /** Returns a PHC string. The password is hashed as given, without trimming. */
  hash(password: string): Promise<string>
  verify(storedHash: string, password: string): Promise<boolean>
  /**
   * Takes as long as `verify`, for logins without an account, so that timing does not reveal which logins
   * exist.
   */
  verifyAbsent(password: string): Promise<false>
}

/** The parameters of Argon2. The defaults are those of the contract; tests lower them to save time. */
export interface PasswordOptions {
  readonly memoryMebibytes?: number
  readonly passes?: number
  readonly lanes?: number
}

/**
 * Injected, so that a test can count the computations for unknown logins and for wrong passwords, which must
 * be equal.
 */
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
  // Creating a hash costs as much memory and CPU as verifying one, so both share a limit.
  const runLimited = limitConcurrency({
    atOnce: budgets.budget('passwordHashes'),
    waiting: budgets.budget('passwordHashesWaiting'),
    retryAfterSeconds,
  })
  const verifyAbsent = async (password: string): Promise<false> => {
    await runLimited(() => argon2.verify(absentHash, password))
    return false
  }
  return {
    hash: (password) => runLimited(() => argon2.hash(password, argon2id)),
    // UTF-8 encodes all lone surrogates as the same character, so a password with one must match nothing.
    verify: (storedHash, password) =>
      isUsable(storedHash) && password.isWellFormed()
        ? runLimited(() => argon2.verify(storedHash, password))
        : verifyAbsent(password),
    verifyAbsent,
  }
}

type Argon2Options = Required<Pick<Options, 'algorithm' | 'memoryCost' | 'timeCost' | 'parallelism'>>

/**
 * The value of `Algorithm.Argon2id`. The package declares that enum in its types only, so it does not exist
 * at run time.
 */
const argon2idAlgorithm: Algorithm = 2

const argon2Options = ({ memoryMebibytes = 64, passes = 3, lanes = 2 }: PasswordOptions): Argon2Options => ({
  algorithm: argon2idAlgorithm,
  memoryCost: memoryMebibytes * 1024,
  timeCost: passes,
  parallelism: lanes,
})

/** The salt and the digest are all zero bits. No known password produces this digest. */
const unmatchableHash = ({ memoryCost, timeCost, parallelism }: Argon2Options): string =>
  `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$${'A'.repeat(22)}$${'A'.repeat(43)}`

/**
 * A stored hash determines the memory for verifying it. More than this could exhaust the memory of the
 * process.
 */
const memoryKibibytesMax = 256 * 1024

/**
 * Returns whether the text is a hash that can be verified. An account without a password stores another text.
 */
function isUsable(storedHash: string): boolean {
  try {
    return parseOptions(storedHash).memoryCost <= memoryKibibytesMax
  } catch {
    return false
  }
}

/**
 * Returns why a new password is easily guessed: it is one of the 19,640 most common passwords, or the login,
 * regardless of case and of punctuation around it.
 */
export function guessableProblem(password: string, login: string | undefined): string | undefined {
  const forms = formsOf(password)
  if (forms.some((form) => commonPasswords().has(form))) return 'is one of the most common passwords'
  if (login !== undefined && forms.some((form) => loginForms(login).includes(form)))
    return 'must not be the login'
  return undefined
}

/**
 * Returns the text in lower case, as it is and without punctuation around it. Forms that are too short for a
 * password are left out.
 */
function formsOf(text: string): readonly string[] {
  const lower = text.toLowerCase()
  const trimmed = lower.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '')
  return [lower, trimmed].filter((form) => form.length >= passwordCharactersMin)
}

/** Returns the forms of the whole login and, for a mail address, of its local part. */
function loginForms(login: string): readonly string[] {
  const whole = normalizeLogin(login)
  return [...formsOf(whole), ...formsOf(whole.split('@', 1)[0] ?? '')]
}

// Royce Williams' list as shipped with Django 5.2 (django/contrib/auth/common-passwords.txt.gz, BSD licence):
// the most common passwords of published leaks, in lower case, one per line.
const commonPasswordFile = new URL('./common-passwords.txt.gz', import.meta.url)

let commonPasswordSet: ReadonlySet<string> | undefined

/** Loads the list for the first new password: most processes never need its 2 MB. */
function commonPasswords(): ReadonlySet<string> {
  commonPasswordSet ??= new Set(
    gunzipSync(readFileSync(commonPasswordFile))
      .toString('utf8')
      .split('\n')
      .filter((line) => line !== ''),
  )
  return commonPasswordSet
}
