import type { FastifyReply } from 'fastify'
import type { Caller } from '../../model/caller.ts'
import type { Work } from '../../store/work.ts'

/** For administrators: to anybody else, times would tell of rows that they may not see. */
export function showServerTiming(reply: FastifyReply, caller: Caller, work: Work): void {
  if (!caller.isAdministrator) return
  const parts = [
    ['total', reply.elapsedTime],
    ['store', work.storeSeconds * 1000],
    ['queue', work.waitSeconds * 1000],
  ] as const
  reply.header(
    'server-timing',
    parts.map(([name, milliseconds]) => `${name};dur=${milliseconds.toFixed(1)}`).join(', '),
  )
}
