import type { ClientAnswers, Reply } from './answers.ts'
import { statementPathOf, transactionPathOf } from './endpoints.ts'
import type { KnownLine } from './known-heads.ts'

/**
 * The order follows the challenge's load: nine of ten requests are transactions, nearly all others
 * statements.
 */
export const knownLines = (clients: readonly ClientAnswers[]): KnownLine<Reply>[] =>
  clients.flatMap(({ id, readStatement, transact }) => [
    { method: 'GET', path: statementPathOf(id), serve: (_body, reply) => readStatement(reply) },
    { method: 'POST', path: transactionPathOf(id), serve: transact },
  ])
