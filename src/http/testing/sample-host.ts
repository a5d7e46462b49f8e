import { request as httpRequest, type IncomingHttpHeaders, type RequestOptions } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import type { TestContext } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { createServer, type ServerOptions } from '../server.ts'

/** Creates a server as every host does, with an echo route. It is closed with its test. */
export function sampleHost(t: TestContext, options: Partial<ServerOptions> = {}): FastifyInstance {
  const app = createServer(options)
  app.post('/echo', (request) => ({ body: request.body }))
  app.get('/echo', (request) => ({ query: request.query, address: request.ip }))
  t.after(() => {
    app.server.closeAllConnections()
    return app.close()
  })
  return app
}

export async function listen(app: FastifyInstance): Promise<number> {
  await app.listen({ host: '127.0.0.1', port: 0 })
  return (app.server.address() as AddressInfo).port
}

/** Sends raw bytes, and resolves with the received ones once `until` matches or the host disconnects. */
export function exchange(port: number, bytes: string, until?: RegExp): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    let received = ''
    socket.on('data', (chunk) => {
      received += chunk
      if (until?.test(received)) socket.destroy()
    })
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(received))
  })
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export function send(port: number, options: RequestOptions, body?: string | Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: '127.0.0.1', port, ...options }, async (response) => {
      response.setEncoding('utf8')
      let text = ''
      for await (const chunk of response) text += chunk
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text })
    })
    request.on('error', reject)
    request.end(body)
  })
}
