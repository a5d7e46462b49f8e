import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { passwordCharactersMin } from '../model/password-policy.ts'
import { normalizeLogin } from './login.ts'

/**
 * Why a new password would be guessed early: it is one of the 19,640 most common ones, or the login, in any capitals and
 * with whatever punctuation around it. Passwords that are in use already are never asked about.
 */
export function guessableProblem(password: string, login: string | undefined): string | undefined {
  const forms = formsOf(password)
  if (forms.some((form) => commonPasswords().has(form))) return 'is one of the most common passwords'
  if (login !== undefined && forms.some((form) => loginForms(login).includes(form)))
    return 'must not be the login'
  return undefined
}

/** In lower case, as it is and without what stands around its letters and digits; forms too short for a password do not count. */
function formsOf(text: string): readonly string[] {
  const lower = text.toLowerCase()
  const bare = lower.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '')
  return [lower, bare].filter((form) => form.length >= passwordCharactersMin)
}

/** Whole, and without the host of a mail address. */
function loginForms(login: string): readonly string[] {
  const whole = normalizeLogin(login)
  return [...formsOf(whole), ...formsOf(whole.split('@', 1)[0] ?? '')]
}

// Royce Williams' list, as Django 5.2 ships it (django/contrib/auth/common-passwords.txt.gz, BSD licence): the most common
// passwords of published leaks, in lower case, a line each.
const file = new URL('./common-passwords.txt.gz', import.meta.url)

let known: ReadonlySet<string> | undefined

/** Read when the first password is set: about 2 MB that most processes never need. */
function commonPasswords(): ReadonlySet<string> {
  known ??= new Set(
    gunzipSync(readFileSync(file))
      .toString('utf8')
      .split('\n')
      .filter((line) => line !== ''),
  )
  return known
}
