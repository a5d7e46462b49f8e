import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Budgets } from '../config/budgets.ts'
import { takeAll } from '../model/budget.ts'
import { addressKey } from './addresses.ts'

/**
 * A request may be answered before its body has arrived, and Node then reads and drops the rest at the speed
 * of the network. These bytes have a rate. Beyond it the connection is destroyed; within it a client that
 * writes first and reads afterwards gets its response.
 */
export function limitUnreadBodies(app: FastifyInstance, budgets: Budgets): void {
  app.addHook('onSend', (request, _reply, payload, done) => {
    if (isUnread(request.raw)) {
      const parts = [
        { budget: budgets.budget('unreadBodyBytesOfAddress'), holder: addressKey(request.ip) },
        { budget: budgets.budget('unreadBodyBytes') },
      ]
      const { raw } = request
      raw.on('data', ({ length }: Buffer) => {
        if (!takeAll(parts, length)) raw.socket.destroy()
      })
      raw.resume()
    }
    done(null, payload)
  })
}

const isUnread = ({ complete, headers }: IncomingMessage): boolean =>
  !complete && (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0)
