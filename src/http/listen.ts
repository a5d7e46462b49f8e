import type { FastifyInstance } from 'fastify'

/** Starts to listen without a log line of its own: the start says where the hosts are. */
export async function listen(
  app: FastifyInstance,
  { host, port }: { host: string; port: number },
): Promise<void> {
  const { level } = app.log
  app.log.level = 'warn'
  try {
    await app.listen({ host, port })
  } finally {
    app.log.level = level
  }
}
