import {
  type Answer,
  statementRequest,
  transactionRequest,
} from '../../src/hosts/bank/testing/transaction-load.ts'

type Send = (request: string) => Promise<Answer>
type Report = (problem: string) => void

/**
 * Runs the checks that the challenge makes before its load: the sums of parallel transactions, the first steps
 * of each client, invalid payloads, and a client that does not exist.
 */
export async function checkConsistency(send: Send, report: Report): Promise<void> {
  await checkParallelSum(send, report, 'd', -25)
  await checkParallelSum(send, report, 'c', 25)
  await Promise.all([1, 2, 3, 4, 5].map((client) => checkClient(client, send, report)))
  const { status } = await send(statementRequest(6))
  if (status !== 404) report(`client 6: ${status}`)
}

async function checkParallelSum(send: Send, report: Report, tipo: string, sum: number): Promise<void> {
  const before = totalOf(await send(statementRequest(1)))
  const request = transactionRequest(1, { valor: 1, tipo, descricao: 'validacao' })
  const answers = await Promise.all(Array.from({ length: 25 }, () => send(request)))
  if (answers.some(({ status }) => status !== 200)) report(`25 parallel ${tipo}: not all 200`)
  const after = totalOf(await send(statementRequest(1)))
  if (after !== before + sum) report(`25 parallel ${tipo}: ${before} became ${after}`)
}

async function checkClient(client: number, send: Send, report: Report): Promise<void> {
  const transact = (tipo: string, descricao: unknown, valor: unknown = 1) =>
    send(transactionRequest(client, { valor, tipo, descricao }))
  const expect = (isRight: boolean, problem: string) => isRight || report(`client ${client}: ${problem}`)
  await transact('c', 'toma')
  await transact('d', 'devolve')
  const first = entriesOf(await send(statementRequest(client)))
  expect(first[0] === 'devolve/d/1' && first[1] === 'toma/c/1', `the latest are ${first.slice(0, 2)}`)
  const { saldo } = JSON.parse((await transact('c', 'danada')).body)
  // Each statement uses a separate connection, so both instances are asked.
  const statements = await Promise.all(Array.from({ length: 4 }, () => send(statementRequest(client))))
  for (const statement of statements) {
    expect(totalOf(statement) === saldo, `${saldo} was answered, ${totalOf(statement)} is shown`)
    expect(entriesOf(statement)[0] === 'danada/c/1', 'a statement misses the latest')
  }
  await transact('d', 'danada')
  const bad = [
    await transact('c', 'devolve', 1.2),
    await transact('x', 'devolve'),
    await transact('c', 'devolve e mais um pouco'),
    await transact('c', ''),
    await transact('c', null),
  ]
  for (const { status } of bad) expect(status === 422, `a bad payload got ${status}`)
}

const totalOf = ({ body }: Answer): number => JSON.parse(body).saldo.total

interface Entry {
  readonly valor: number
  readonly tipo: string
  readonly descricao: string
}

const entriesOf = ({ body }: Answer): string[] =>
  JSON.parse(body).ultimas_transacoes.map(
    ({ descricao, tipo, valor }: Entry) => `${descricao}/${tipo}/${valor}`,
  )
