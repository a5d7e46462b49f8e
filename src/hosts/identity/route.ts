import type { IncomingHttpHeaders } from 'node:http'
import type { RequestOrigin } from '../../model/caller.ts'
import type { GivenParameters } from './parameters.ts'

export type Schema = Readonly<Record<string, unknown>>

/** What the document says of an operation, and all that is needed to register it. */
export interface Operation {
  /** Readable and named after its feature, such as `RevokeToken`. */
  readonly id: string
  readonly tag: string
  readonly summary: string
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** Of the query for GET, of the form for POST. */
  readonly parameters?: readonly Parameter[]
  readonly security?: readonly Schema[]
  /** A JSON answer; without one the browser is sent on. */
  readonly answer?: Schema
  /** The statuses of refusals, besides those that every operation has. */
  readonly refusals: readonly number[]
}

export interface Parameter {
  readonly name: string
  readonly description: string
  readonly required?: true
  readonly schema?: Schema
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

export type Endpoint = (call: Call) => Promise<Answer>

export interface Route extends Operation {
  readonly handle: Endpoint
}
