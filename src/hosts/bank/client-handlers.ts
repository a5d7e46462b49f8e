import { isUtf8 } from 'node:buffer'
import type { Accounts } from './accounts.ts'
import { NothingAppliedError } from './connection.ts'
import type { MeasureCall, Outcome, Transaction } from './transactions.ts'

/** Called exactly once, possibly asynchronously, with a status and a JSON body. */
export type Reply = (status: number, body: string) => void

/** The handlers of a client's two paths, shared by both HTTP servers. */
export interface ClientHandlers {
  readonly id: number
  readStatement(reply: Reply): void
  /** Takes the complete raw body. */
  transact(body: Buffer, reply: Reply): void
}

export interface MetricsRecorder {
  readonly request: (method: string, route: string, status: number, seconds: number) => void
  readonly call: MeasureCall
}

export interface HandlerOptions {
  readonly overLimitStatus: 200 | 422
  /** Called for every database failure that determined a response. */
  readonly onFailure: (error: unknown) => void
  readonly recorder?: MetricsRecorder
}

export const clientHandlers = (accounts: Accounts, options: HandlerOptions): ClientHandlers[] =>
  [...accounts.limits].map(([id, limit]) => ({
    id,
    readStatement: withMetrics('GET', statementPath, options, statementHandler(id, accounts, options)),
    transact: bodyHandlerWithMetrics(
      'POST',
      transactionPath,
      options,
      transactionHandler(id, limit, accounts, options),
    ),
  }))

/** Route patterns, used as labels of metrics. */
const statementPath = '/clientes/:id/extrato'
const transactionPath = '/clientes/:id/transacoes'

const statementHandler =
  (id: number, { readStatement }: Accounts, { onFailure }: HandlerOptions) =>
  (reply: Reply): void => {
    readStatement(id).then(
      (statement) => reply(200, statement),
      (error) => {
        onFailure(error)
        reply(422, problemBody('The statement cannot be read at the moment.'))
      },
    )
  }

function transactionHandler(id: number, limit: string, { apply }: Accounts, options: HandlerOptions) {
  const { onFailure, overLimitStatus } = options
  const resultStart = `{"id":${id},"limite":${limit},"saldo":`
  const replyOutcome = (reply: Reply, isDebit: boolean, { balance, isApplied }: Outcome) => {
    if (isApplied || (isDebit && overLimitStatus === 200)) reply(200, `${resultStart}${balance}}`)
    else reply(422, isDebit ? overLimit : overflow)
  }
  return (body: Buffer, reply: Reply): void => {
    const transaction = parseTransaction(body)
    if (typeof transaction === 'string') {
      reply(422, problemBody(transaction))
      return
    }
    const { amount, description } = transaction
    apply({ account: id, amount, description }).then(
      (outcome) => replyOutcome(reply, amount < 0, outcome),
      (error) => {
        onFailure(error)
        reply(422, error instanceof NothingAppliedError ? nothingApplied : outcomeUnknown)
      },
    )
  }
}

export const problemBody = (message: string) => JSON.stringify({ erro: message })

const overLimit = problemBody('Valor must not take the balance below the limit.')
const overflow = problemBody('Valor must not take the balance above the maximum.')
const nothingApplied = problemBody('The transaction was not applied: the database is not available.')
/** The server does not retry, because it could apply the transaction twice. */
const outcomeUnknown = problemBody(
  'The outcome is unknown: check the statement before you send the transaction again.',
)

function withMetrics(
  method: string,
  path: string,
  { recorder }: HandlerOptions,
  handle: (reply: Reply) => void,
): (reply: Reply) => void {
  if (recorder === undefined) return handle
  return (reply) => handle(timedReply(recorder, method, path, reply))
}

function bodyHandlerWithMetrics(
  method: string,
  path: string,
  { recorder }: HandlerOptions,
  handle: (body: Buffer, reply: Reply) => void,
): (body: Buffer, reply: Reply) => void {
  if (recorder === undefined) return handle
  return (body, reply) => handle(body, timedReply(recorder, method, path, reply))
}

function timedReply({ request }: MetricsRecorder, method: string, path: string, reply: Reply): Reply {
  const startedAt = performance.now()
  return (status, body) => {
    reply(status, body)
    request(method, path, status, (performance.now() - startedAt) / 1000)
  }
}

/**
 * Parses the body into a transaction, or returns an error message for the client. A database in UTF-8 accepts
 * every parsed transaction, so none makes others in the same call fail.
 */
export function parseTransaction(body: Buffer): Omit<Transaction, 'account'> | string {
  const text = isUtf8(body) ? body.toString() : ''
  const fields = parseFields(text)
  if (fields === undefined) return 'The body must be a JSON object.'
  // The lower-case spelling wins if both are present; JSON has no undefined.
  const amountName = fields.valor === undefined ? 'Valor' : 'valor'
  const amount = fields[amountName]
  const kind = fields.tipo === undefined ? fields.Tipo : fields.tipo
  const description = fields.descricao === undefined ? fields.Descricao : fields.descricao
  if (!isAmount(amount) || (mayHaveBeenRounded.test(text) && !isWholeAsWritten(text, amountName)))
    return `Valor must be a whole number from 1 to ${amountMax}.`
  if (kind !== 'c' && kind !== 'd') return 'Tipo must be c or d.'
  if (!isDescription(description))
    return `Descricao must have 1 to ${descriptionLengthMax} characters, none of them NUL.`
  return { amount: kind === 'c' ? amount : -amount, description }
}

/** The maximum of the ledger's column. */
const amountMax = 2_147_483_647
const descriptionLengthMax = 10

function parseFields(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

const isAmount = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) > 0 && (value as number) <= amountMax

/** Matches numbers with a fraction or an exponent. A double may have rounded them to an integer. */
const mayHaveBeenRounded = /\d[.eE]/

/** Checks the digits as sent, because a double reads `1.0000000000000000001` as 1. */
function isWholeAsWritten(text: string, name: string): boolean {
  // Maps each object in the body to its property `name` as written. `JSON.parse` returns the outermost object.
  const sources = new Map<unknown, string>()
  const record = function (this: unknown, key: string, value: unknown, context?: { source?: string }) {
    if (key === name) sources.set(this, context?.source ?? '')
    return value
  }
  const [, whole = '', fraction = '', exponent = '0'] =
    numberParts.exec(sources.get(JSON.parse(text, record)) ?? '') ?? []
  const wholeDigits = Math.max(0, whole.length + Number(exponent))
  return /^0*$/.test((whole + fraction).slice(wholeDigits))
}

const numberParts = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/** The length is counted in code points. PostgreSQL cannot store NUL or a lone surrogate. */
function isDescription(value: unknown): value is string {
  if (typeof value !== 'string' || value === '' || value.length > 2 * descriptionLengthMax) return false
  const isShort = value.length <= descriptionLengthMax || [...value].length <= descriptionLengthMax
  return isShort && value.isWellFormed() && !value.includes('\0')
}
