import { openRawClient, sendAlone, transactionRequest } from '../../src/hosts/bank/testing/raw-client.ts'

export interface LoopOptions {
  readonly port: number
  readonly connections: number
  readonly keepAlive: boolean
  readonly seconds: number
}

export interface LoopResult {
  readonly writes: number
  readonly errors: number
  readonly seconds: number
  readonly latenciesMilliseconds: readonly number[]
}

/** More than any machine answers in the longest run. */
const writesMax = 5_000_000

/** Every connection sends its next write when it has the answer to the one before. */
export async function runClosedLoop(options: LoopOptions): Promise<LoopResult> {
  const { connections, seconds } = options
  const startedAt = performance.now()
  const latencies: number[] = []
  let errors = 0
  const isOver = () => latencies.length >= writesMax || performance.now() > startedAt + seconds * 1000
  const write = async (index: number) => {
    const sender = senderOf(options)
    for (let count = index; !isOver(); count++) {
      const { status, milliseconds } = await sender.send(requests[count % requests.length] ?? '')
      if (status === 200) latencies.push(milliseconds)
      else errors++
    }
    sender.close()
  }
  await Promise.all(Array.from({ length: connections }, (_, index) => write(index)))
  const took = (performance.now() - startedAt) / 1000
  return { writes: latencies.length, errors, seconds: took, latenciesMilliseconds: latencies }
}

/** The challenge's mix: two debits for each credit, all five clients; made once, so that making them costs nothing. */
const requests = Array.from({ length: 5 * 3 * 97 }, (_, index) =>
  transactionRequest((index % 5) + 1, {
    valor: 1 + ((index * 7919) % 10_000),
    tipo: index % 3 === 0 ? 'c' : 'd',
    descricao: `bench${index}`,
  }),
)

const noAnswer = { status: 0, body: '', milliseconds: 0 }

function senderOf({ port, keepAlive }: LoopOptions) {
  if (!keepAlive) {
    return { send: (request: string) => sendAlone(port, request).catch(() => noAnswer), close() {} }
  }
  let client = openRawClient(port)
  return {
    send: (request: string) =>
      client.send(request).catch(() => {
        client.close()
        client = openRawClient(port)
        return noAnswer
      }),
    close: () => client.close(),
  }
}
