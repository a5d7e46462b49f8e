import type { ClientAnswers, Reply } from './answers.ts'
import { statementPathOf, transactionPathOf } from './endpoints.ts'
import type { KnownLine } from './known-heads.ts'

/** Nine of ten requests of the challenge's load are the second of these, and all others but a few the first. */
export const knownLines = (clients: readonly ClientAnswers[]): KnownLine<Reply>[] =>
  clients.flatMap(({ id, readStatement, transact }) => [
    { method: 'GET', path: statementPathOf(id), serve: (_body, reply) => readStatement(reply) },
    { method: 'POST', path: transactionPathOf(id), serve: transact },
  ])
