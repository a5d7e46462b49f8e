import type { Caller } from '../model/caller.ts'
import { raw, type Sql, sql } from './sql.ts'

/** Undefined for writes without a caller, such as those of the seed. */
export type Writer = Pick<Caller, 'id' | 'origin'> | undefined

/** The author of a row called `row`, as the change log and the history record it. */
export interface Signature {
  readonly caller: Sql
  readonly origin: Sql
  /** The source of these values, in addition to the row. */
  readonly from: Sql
}

/** Signs all rows of a statement with one writer. */
export const signedBy = (writer: Writer): Signature => {
  const { caller, session, client, host, request } = signatureOf(writer)
  return {
    caller: sql`${caller}::uuid`,
    origin: sql`${session}::text, ${client}::text, ${host}::text, ${request}::text`,
    from: raw(''),
  }
}

/** Signs each row with the writer in the row of `input` with the same id. */
export const signedInInput: Signature = {
  caller: raw('input.":caller"'),
  origin: raw('input.":session", input.":client", input.":host", input.":request"'),
  from: raw(' join input on input.id = row.id'),
}

/** No field has these names. */
export const signatureTypes = {
  ':caller': 'uuid',
  ':session': 'text',
  ':client': 'text',
  ':host': 'text',
  ':request': 'text',
} as const

/** The values of a writer in a row of `input`. */
export const signatureColumns = (
  writer: Writer,
): Readonly<Record<keyof typeof signatureTypes, string | null>> => {
  const { caller, session, client, host, request } = signatureOf(writer)
  return { ':caller': caller, ':session': session, ':client': client, ':host': host, ':request': request }
}

function signatureOf(writer: Writer) {
  const { sessionId = null, clientId = null, host = null, requestId = null } = writer?.origin ?? {}
  return { caller: writer?.id ?? null, session: sessionId, client: clientId, host, request: requestId }
}
