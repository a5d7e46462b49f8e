import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A server in a separate process that answers every request with 200 and counts it. */
export async function startReceiver() {
  const child = fork(import.meta.filename)
  const [port] = await once(child, 'message')
  const host = `127.0.0.1:${port}`
  return {
    url: `http://${host}/hook`,
    host,
    async count(): Promise<number> {
      child.send('count')
      const [count] = await once(child, 'message')
      return Number(count)
    },
    async stop() {
      child.kill()
      await once(child, 'exit')
    },
  }
}

if (process.send && import.meta.main) {
  let count = 0
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      count += 1
      response.end()
    })
  }).listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
  process.on('message', () => process.send?.(count))
}
