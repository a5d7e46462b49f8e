import type { IncomingHttpHeaders } from 'node:http'
import type { Operation as HttpOperation, Schema } from '../../http/operation.ts'
import type { RequestOrigin } from '../../model/caller.ts'
import type { Language } from '../../model/language.ts'
import type { Page } from './pages/page.ts'
import type { GivenParameters } from './parameters.ts'

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
