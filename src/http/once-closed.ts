import type { FastifyReply } from 'fastify'

/** Calls back when the response was sent or its client has disconnected, at once if that has already happened. */
export function onceClosed({ raw }: FastifyReply, callback: () => void): void {
  if (raw.destroyed) callback()
  else raw.once('close', callback)
}
