import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Accounts } from './accounts.ts'
import { NothingApplied } from './connection.ts'
import { isTypeJson, readBody } from './read-body.ts'
import { readTransaction } from './read-transaction.ts'
import { type Answer, type Endpoint, json, plainText, refuse, send } from './server.ts'
import type { Outcome } from './transactions.ts'

export interface EndpointOptions {
  readonly overLimitStatus: 200 | 422
  /** Told of every failure of the database that a client was answered with. */
  readonly onFailure: (error: unknown) => void
}

export function bankEndpoints(accounts: Accounts, options: EndpointOptions): ReadonlyMap<string, Endpoint> {
  const endpoints = new Map<string, Endpoint>([['/healthz', { GET: answerHealth, HEAD: answerHealth }]])
  for (const id of accounts.limits.keys()) {
    const answerStatement = statementAnswer(id, accounts, options)
    endpoints.set(`/clientes/${id}/extrato`, { GET: answerStatement, HEAD: answerStatement })
    endpoints.set(`/clientes/${id}/transacoes`, { POST: transactionAnswer(id, accounts, options) })
  }
  return endpoints
}

const answerHealth: Answer = (_request, response) => send(response, 200, 'Healthy', plainText)

function statementAnswer(id: number, { readStatement }: Accounts, { onFailure }: EndpointOptions): Answer {
  return (_request, response) => {
    readStatement(id).then(
      (statement) => send(response, 200, statement, json),
      (error) => {
        onFailure(error)
        sendProblem(response, 'The statement cannot be read at the moment.')
      },
    )
  }
}

function transactionAnswer(id: number, { limits, apply }: Accounts, options: EndpointOptions): Answer {
  const limit = limits.get(id)
  const answerOutcome = (response: ServerResponse, debited: boolean, outcome: Outcome) => {
    const { balance, isApplied } = outcome
    if (!isApplied && !debited) return sendProblem(response, 'Valor must leave the balance countable.')
    if (!isApplied && options.overLimitStatus === 422) {
      return sendProblem(response, 'Valor must not take the balance below the limit.')
    }
    send(response, 200, `{"id":${id},"limite":${limit},"saldo":${balance}}`, json)
  }
  return (request, response) => {
    if (!isTypeJson(request))
      return refuseBody(request, response, 'The content type must be application/json.')
    readBody(request, (body) => {
      if (body === undefined) return refuseBody(request, response, 'The body is too long.')
      const transaction = readTransaction(body)
      if (typeof transaction === 'string') return sendProblem(response, transaction)
      apply({ account: id, ...transaction }).then(
        (outcome) => answerOutcome(response, transaction.amount < 0, outcome),
        (error) => {
          options.onFailure(error)
          sendProblem(response, error instanceof NothingApplied ? nothingApplied : outcomeUnknown)
        },
      )
    })
  }
}

const nothingApplied = 'The transaction was not applied: the database is not available.'
/** Sending it again by ourselves could apply it twice. */
const outcomeUnknown = 'The outcome is unknown: look at the statement before you send the transaction again.'

const sendProblem = (response: ServerResponse, problem: string) =>
  send(response, 422, problemBody(problem), json)

const refuseBody = (request: IncomingMessage, response: ServerResponse, problem: string) =>
  refuse(request, response, 422, json, problemBody(problem))

const problemBody = (erro: string) => JSON.stringify({ erro })
