import type { Accounts } from './accounts.ts'
import { NothingApplied } from './connection.ts'
import type { Measure } from './measures.ts'
import { readTransaction } from './read-transaction.ts'
import type { Outcome } from './transactions.ts'

/** Called once, at any time later, with a status and a body of JSON. */
export type Reply = (status: number, body: string) => void

/** What a client's two paths answer, whichever server has read the request. */
export interface ClientAnswers {
  readonly id: number
  readStatement(reply: Reply): void
  /** The body as it came, whole. */
  transact(body: Buffer, reply: Reply): void
}

export interface AnswerOptions {
  readonly overLimitStatus: 200 | 422
  /** Called for every failure of the database that led to the answer of a client. */
  readonly onFailure: (error: unknown) => void
  readonly measure?: Measure
}

export const bankAnswers = (accounts: Accounts, options: AnswerOptions): ClientAnswers[] =>
  [...accounts.limits].map(([id, limit]) => ({
    id,
    readStatement: measured('GET', statementPath, options, statementOf(id, accounts, options)),
    transact: measuredBody('POST', transactionPath, options, transactionOf(id, limit, accounts, options)),
  }))

/** As patterns, by which measures are labelled. */
export const statementPath = '/clientes/:id/extrato'
export const transactionPath = '/clientes/:id/transacoes'

const statementOf =
  (id: number, { readStatement }: Accounts, { onFailure }: AnswerOptions) =>
  (reply: Reply): void => {
    readStatement(id).then(
      (statement) => reply(200, statement),
      (error) => {
        onFailure(error)
        reply(422, problemBody('The statement cannot be read at the moment.'))
      },
    )
  }

function transactionOf(id: number, limit: string, { apply }: Accounts, options: AnswerOptions) {
  const { onFailure, overLimitStatus } = options
  const before = `{"id":${id},"limite":${limit},"saldo":`
  const replyOutcome = (reply: Reply, isDebit: boolean, { balance, isApplied }: Outcome) => {
    if (isApplied || (isDebit && overLimitStatus === 200)) reply(200, `${before}${balance}}`)
    else reply(422, isDebit ? overLimit : overflow)
  }
  return (body: Buffer, reply: Reply): void => {
    const transaction = readTransaction(body)
    if (typeof transaction === 'string') {
      reply(422, problemBody(transaction))
      return
    }
    const { amount, description } = transaction
    apply({ account: id, amount, description }).then(
      (outcome) => replyOutcome(reply, amount < 0, outcome),
      (error) => {
        onFailure(error)
        reply(422, error instanceof NothingApplied ? nothingApplied : outcomeUnknown)
      },
    )
  }
}

export const problemBody = (erro: string) => JSON.stringify({ erro })

const overLimit = problemBody('Valor must not take the balance below the limit.')
const overflow = problemBody('Valor must leave the balance countable.')
const nothingApplied = problemBody('The transaction was not applied: the database is not available.')
/** Sending it again by ourselves could apply it twice. */
const outcomeUnknown = problemBody(
  'The outcome is unknown: look at the statement before you send the transaction again.',
)

function measured(
  method: string,
  path: string,
  { measure }: AnswerOptions,
  answer: (reply: Reply) => void,
): (reply: Reply) => void {
  if (measure === undefined) return answer
  return (reply) => answer(timed(measure, method, path, reply))
}

function measuredBody(
  method: string,
  path: string,
  { measure }: AnswerOptions,
  answer: (body: Buffer, reply: Reply) => void,
): (body: Buffer, reply: Reply) => void {
  if (measure === undefined) return answer
  return (body, reply) => answer(body, timed(measure, method, path, reply))
}

function timed({ request }: Measure, method: string, path: string, reply: Reply): Reply {
  const startedAt = performance.now()
  return (status, body) => {
    reply(status, body)
    request(method, path, status, (performance.now() - startedAt) / 1000)
  }
}
