import { openRawClient } from './raw-client.ts'
import { requestBytes } from './raw-socket.ts'

export interface Hammer {
  /** All of its descriptions begin with it. */
  readonly name: string
  /** Descriptions, each used once, of what was answered so. */
  readonly applied: readonly string[]
  readonly refused: readonly string[]
  /** No answer came, or one that says that the outcome is unknown or nothing was applied. */
  readonly failed: readonly string[]
  /** Lets the last requests come to their end. */
  stop(): Promise<void>
}

/** More than any test sends. */
const requestsMax = 200_000

/** Many writers, each with one transaction at a time and a new connection after a broken one, until told to stop. Names keep two apart. */
export function startHammer(port: number, writers = 32, name = ''): Hammer {
  const applied: string[] = []
  const refused: string[] = []
  const failed: string[] = []
  let count = 0
  let isStopping = false
  const write = async () => {
    let client = openRawClient(port)
    while (!isStopping && count < requestsMax) {
      const description = name + (++count).toString(36)
      try {
        const { status, body } = await client.send(transaction(count, description))
        if (status === 200) applied.push(description)
        else if (body.includes('limit')) refused.push(description)
        else failed.push(description)
      } catch {
        failed.push(description)
        client.close()
        await new Promise((resolve) => setTimeout(resolve, 20))
        client = openRawClient(port)
      }
    }
    client.close()
  }
  const writing = Promise.all(Array.from({ length: writers }, write))
  return {
    name,
    applied,
    refused,
    failed,
    async stop() {
      isStopping = true
      await writing
    },
  }
}

/** Two debits for each credit, so that the limits are reached soon and stay in reach. */
function transaction(count: number, descricao: string): string {
  const fields = { valor: 1 + ((count * 7919) % 10_000), tipo: count % 3 === 0 ? 'c' : 'd', descricao }
  return requestBytes('POST', `/clientes/${1 + (count % 5)}/transacoes`, JSON.stringify(fields)).toString()
}
