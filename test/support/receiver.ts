import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface ReceivedMessage {
  readonly id: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: a message is what came over the network
  readonly body: any
}

export interface Receiver {
  readonly url: string
  /** The host and port, as in the setting of allowed receivers. */
  readonly host: string
  readonly messages: readonly ReceivedMessage[]
  /** Replaces the response, which is 200 by default. */
  answer(respond: (response: ServerResponse, message: ReceivedMessage) => void): void
  until(isWanted: (messages: readonly ReceivedMessage[]) => boolean): Promise<void>
  stop(): Promise<void>
}

const arrivalSecondsMax = 60

/** Starts a real server that receives the messages of webhooks. */
export async function startReceiver(port = 0): Promise<Receiver> {
  const messages: ReceivedMessage[] = []
  let respond: (response: ServerResponse, message: ReceivedMessage) => void = (response) =>
    response.end('thanks')
  const server = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8')
    request.on('data', (piece: string) => {
      text += piece
    })
    request.on('end', () => {
      const message = {
        id: String(request.headers['webhook-id']),
        headers: request.headers,
        text,
        body: JSON.parse(text),
      }
      messages.push(message)
      respond(response, message)
    })
  }).listen(port, '127.0.0.1')
  await once(server, 'listening')
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: `http://${host}/hook`,
    host,
    messages,
    answer(newRespond) {
      respond = newRespond
    },
    async until(isWanted) {
      const deadline = Date.now() + arrivalSecondsMax * 1000
      while (!isWanted(messages)) {
        if (Date.now() > deadline)
          throw new Error(`Only ${messages.length} messages came within ${arrivalSecondsMax} s.`)
        await sleep(20)
      }
    },
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Checks a signature according to the specification of Standard Webhooks. */
export function isSignedBy(secret: string, { headers, text }: ReceivedMessage): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const expected = createHmac('sha256', key)
    .update(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`)
    .digest('base64')
  return String(headers['webhook-signature'])
    .split(' ')
    .some((signature) => signature === `v1,${expected}`)
}
