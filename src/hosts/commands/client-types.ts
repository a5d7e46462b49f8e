import type { ValueOf } from '../../model/field.ts'
import type { DeclaredResource } from '../../resources/all.ts'
import type { DateKey, PagingKey } from '../../resources/list-keys.ts'

/** What the compiler knows of the commands: one mapped type over the declarations, no generated code. */
export type CommandClient = {
  readonly [R in DeclaredResource as `create${Title<R>}`]: Call<CreateRequest<R>, FoundResult<R>>
} & {
  readonly [R in DeclaredResource as `get${Title<R>}ById`]: Call<{ readonly id: string }, FoundResult<R>>
} & {
  readonly [R in DeclaredResource as `list${Title<R>}s`]: Call<ListRequest<R>, ListResult<R>>
} & {
  readonly [R in DeclaredResource as `remove${Title<R>}`]: Call<{ readonly ids: readonly string[] }, Result>
} & {
  readonly [R in DeclaredResource as `update${Title<R>}`]: Call<UpdateRequest<R>, Result>
}

export interface CallOptions {
  /** Gives up after so long; 30 seconds unless given. */
  readonly withinMilliseconds?: number
  readonly signal?: AbortSignal
}

type Call<Request, Result> = (request: Request, options?: CallOptions) => Promise<Result>

type Title<R extends DeclaredResource> = Capitalize<R['name']>

type FieldsOf<R extends DeclaredResource> = R['fields']

/** The names of the fields whose presence is one of these. */
type Named<F, Presence> = {
  [K in keyof F]: F[K] extends { readonly presence: infer P } ? (P extends Presence ? K : never) : never
}[keyof F]

/** Moments are RFC 3339 text, so that microseconds survive. */
type Given<F, Names extends keyof F> = { readonly [K in Names]: ValueOf<F[K]> }
type Perhaps<F, Names extends keyof F> = { readonly [K in Names]?: ValueOf<F[K]> | null }

export type CreateRequest<R extends DeclaredResource, F = FieldsOf<R>> = {
  readonly id?: string | null
} & Given<F, Named<F, 'required' | 'requiredOnCreate'>> &
  Perhaps<F, Named<F, 'optional'>>

/**
 * An optional field is cleared by leaving it out, unless `updateMask` is given and does not name it; a login, a password
 * and a version are not.
 */
export type UpdateRequest<R extends DeclaredResource, F = FieldsOf<R>> = { readonly id: string } & Given<
  F,
  Named<F, 'required'>
> &
  Perhaps<F, Named<F, 'optional' | 'requiredOnCreate' | 'updateOnly'>> & {
    readonly updateMask?: { readonly paths: readonly Named<F, 'optional'>[] }
  }

export interface ListRequest<R extends DeclaredResource> {
  readonly pagination: Paging & Relations<R['filters'][number]>
}

/** The ids are separated by commas. */
type Paging = { readonly [K in PagingKey]?: PagingValue<K> }

type PagingValue<K extends PagingKey> = K extends 'pageNumber' | 'pageSize'
  ? number
  : K extends 'sortOrder'
    ? 'ASC' | 'DESC'
    : string

/** Only what the resource can be filtered by. */
type Relations<Filter> = { readonly [K in Extract<Filter, string>]?: string } & {
  readonly [K in DateKey as Extract<Filter, object> extends never ? never : K]?: string
}

interface CommonFields {
  readonly id: string
  readonly createdAt: string
  readonly updatedAt: string | null
  readonly deletedAt: string | null
  readonly active: boolean
}

type Shown<F> = {
  readonly [K in keyof F as F[K] extends { readonly isSecret: true } | { readonly presence: 'updateOnly' }
    ? never
    : K]: ValueOf<F[K]>
}

export type RecordOf<R extends DeclaredResource> = CommonFields & Shown<FieldsOf<R>>

interface Failure {
  readonly success: false
  readonly message: string
}

interface Success {
  readonly success: true
  readonly message: string
}

export type Result = Success | Failure

type FoundResult<R extends DeclaredResource> =
  | (Success & { readonly [K in R['name']]: RecordOf<R> })
  | (Failure & { readonly [K in R['name']]: null })

interface Page<R extends DeclaredResource> {
  readonly data: readonly RecordOf<R>[]
  readonly totalCount: number
  readonly pageNumber: number
  readonly pageSize: number
  readonly totalPages: number
}

type ListResult<R extends DeclaredResource> =
  | (Success & { readonly result: Page<R> })
  | (Failure & { readonly result: null })
