import { openCommandClient } from '../../clients/typescript/src/commands.ts'
import { clientCredentials, openTracker } from '../../clients/typescript/src/tracker.ts'
import {
  sendAlone,
  statementRequest,
  transactionRequest,
} from '../../src/hosts/bank/testing/transaction-load.ts'

export interface Ports {
  readonly rest: number
  readonly identity: number
  readonly commands: number
  readonly bank: number
  readonly web: number
}

export interface Work {
  /** Each job sends requests. Its promise rejects if a response is not as expected. */
  readonly jobs: readonly (() => Promise<unknown>)[]
  stop(): void
}

/** The oldest rows beyond this number are removed, so that only history and ledger grow. */
const rowsKept = 200
/** An account may have twenty streams. Four remain for streams that are opened briefly. */
const openListings = 16

/** Prepares a mix of requests of users, scripts, browsers and payers, sent by the clients of this project. */
export async function prepareWork(ports: Ports, clientSecret: string): Promise<Work> {
  const issuer = `http://localhost:${ports.identity}`
  const openTokenSource = () => clientCredentials({ issuer, clientId: 'robot', clientSecret })
  const token = openTokenSource()
  const tracker = openTracker({ address: `http://localhost:${ports.rest}`, token, idempotencyKeys: false })
  const client = openCommandClient({ target: `localhost:${ports.commands}`, token })
  const stopping = new AbortController()
  const { id: organizationId } = await tracker.organizations.create({ name: 'A long run' })
  const { id: projectId } = await tracker.projects.create({ name: 'A long run', organizationId })
  const impediments: string[] = []
  const createImpediment = async () => {
    const { id } = await tracker.impediments.create({ name: `Impediment of a long run ${Math.random()}` })
    impediments.push(id)
    const oldest = impediments.length > rowsKept ? impediments.shift() : undefined
    if (oldest !== undefined) await tracker.impediments.remove([oldest])
  }
  while (impediments.length < 20) await createImpediment()
  const anyImpediment = () => impediments[Math.floor(Math.random() * impediments.length)] ?? ''
  const listen = async () => {
    for await (const _page of tracker.impediments.live({ search: 'long run' }, { signal: stopping.signal })) {
      // The stream is only kept open.
    }
  }
  for (let count = 0; count < openListings; count += 1) listen().catch(() => undefined)
  const openBriefly = async () => {
    for await (const _page of tracker.projects.live({ organizationId })) break
  }
  const bank = (request: string) => async () => {
    const { status } = await sendAlone(ports.bank, request)
    if (status !== 200) throw new Error(`the bank answered ${status}`)
  }
  return {
    jobs: [
      () => tracker.impediments.list({ search: 'long' }),
      () => tracker.projects.get(projectId),
      createImpediment,
      () => tracker.impediments.update({ id: anyImpediment(), name: `Changed ${Math.random()}` }),
      () => client.listProjects({ pagination: { pageSize: 5 } }),
      () => client.getProjectById({ id: projectId }),
      bank(transactionRequest(1, { valor: 1, tipo: 'c', descricao: 'long run' })),
      bank(statementRequest(1)),
      // A new source has no token yet, so it requests one.
      () => openTokenSource()(),
      openBriefly,
      () => read(`http://localhost:${ports.web}/`),
      () => read(`http://localhost:${ports.identity}/.well-known/openid-configuration`),
    ],
    stop() {
      stopping.abort()
      client.close()
    },
  }
}

async function read(address: string): Promise<void> {
  const answer = await fetch(address)
  await answer.arrayBuffer()
  if (!answer.ok) throw new Error(`${address} answered ${answer.status}`)
}
