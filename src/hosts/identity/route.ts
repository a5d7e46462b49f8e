import type { IncomingHttpHeaders } from 'node:http'
import type { Operation as HttpOperation, Schema } from '../../http/operation.ts'
import type { RequestOrigin } from '../../model/caller.ts'
import type { Language } from '../../model/language.ts'
import { invalidRequest } from './oauth-error.ts'
import type { Page } from './pages/page.ts'

/** What the document says of an operation of this host, whose parameters are those of a query or a form. */
export interface Operation extends HttpOperation {
  readonly method: 'GET' | 'POST'
  readonly security?: readonly Schema[]
  /** A JSON answer; without one the browser is sent on. */
  readonly answer?: Schema
  /** What is shown where the browser is not sent on. */
  readonly page?: string
}

/** One request, as far as an endpoint has to know it. */
export interface Call extends RequestOrigin {
  readonly method: Operation['method']
  /** Of the query for GET, of the form for POST. */
  readonly parameters: GivenParameters
  readonly headers: IncomingHttpHeaders
}

export type Answer =
  | { readonly body: unknown; readonly maxAgeSeconds?: number; readonly status?: number }
  | { readonly redirectTo: string; readonly cookie?: string | undefined }
  | {
      readonly page: Page
      /** What its client asks for; otherwise the browser's. */
      readonly language?: Language | undefined
      readonly cookie?: string | undefined
    }

export type Endpoint = (call: Call) => Promise<Answer>

export interface Route extends Operation {
  readonly handle: Endpoint
}

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
