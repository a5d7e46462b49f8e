import { invalidRequest } from '../oauth-error.ts'
import type { Parameters } from '../parameters.ts'

const prompts = ['none', 'login', 'consent', 'select_account'] as const

export type Prompt = (typeof prompts)[number]

/** OpenID Connect Core, 3.1.2.1: with none nothing may be shown, so nothing else can be asked for. */
export function readPrompts({ prompt = '' }: Parameters): ReadonlySet<Prompt> {
  const words = new Set(prompt.split(' ').filter((word) => word !== ''))
  const known = prompts.filter((name) => words.has(name))
  if (known.length < words.size) throw invalidRequest(`prompt can have ${prompts.join(', ')}.`)
  if (words.has('none') && words.size > 1) throw invalidRequest('prompt none excludes every other prompt.')
  return new Set(known)
}

export function readMaxAge({ max_age: maxAge }: Parameters): number | undefined {
  if (maxAge === undefined) return undefined
  if (!maxAgePattern.test(maxAge)) throw invalidRequest('max_age must be a whole number of seconds.')
  return Number(maxAge)
}

/** Up to thirty years, beyond which it says nothing. */
const maxAgePattern = /^\d{1,9}$/
