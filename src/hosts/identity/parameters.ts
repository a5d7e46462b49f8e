import { invalidRequest } from './oauth-error.ts'

/** A query or a form as it came: a repeated key has an array. */
export type GivenParameters = Readonly<Record<string, string | readonly string[] | undefined>>

/** Each once, and never empty. */
export type Parameters = Readonly<Record<string, string | undefined>>

/** RFC 6749, 3.1 and 3.2: a parameter without a value is one that was not sent, and none may be sent twice. */
export function readParameters(given: GivenParameters): Parameters {
  const repeated = Object.keys(given).find((name) => typeof given[name] !== 'string')
  if (repeated !== undefined) throw invalidRequest(`${shown(repeated)} must be sent once.`)
  return readSingle(given)
}

/** Leaves repeated ones out, for those steps that must find their way before they may complain. */
export function readSingle(given: GivenParameters): Parameters {
  const single = Object.entries(given).filter(([, value]) => typeof value === 'string' && value !== '')
  return Object.assign(Object.create(null), Object.fromEntries(single))
}

export function requireParameter(parameters: Parameters, name: string): string {
  const value = parameters[name]
  if (value === undefined) throw invalidRequest(`${name} is required.`)
  return value
}

/** It comes back in an address, of which common proxies take 8 KB. */
const stateCharactersMax = 6000

/** Asked before anything is answered with the state, refusals too. */
export function requireShortState({ state = '' }: Parameters): void {
  if (new URLSearchParams({ state }).toString().length > stateCharactersMax)
    throw invalidRequest('state is too long.')
}

/** RFC 6749, 5.2 allows printable ASCII in a description, without quotes and backslashes. */
const shown = (name: string): string => name.slice(0, 64).replace(/[^\w.-]/g, '?')
