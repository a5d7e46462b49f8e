import { join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { budgetLimits, openBudgets } from '../../configuration/budgets.ts'
import { acceptsCoding } from '../../http/accepted-coding.ts'
import { sendEnvelope } from '../../http/envelope.ts'
import { addHealthRoutes } from '../../http/health.ts'
import { listen } from '../../http/listen.ts'
import type { Log } from '../../http/log.ts'
import { measureHost } from '../../http/measure-host.ts'
import { pathOf } from '../../http/path.ts'
import { createServer, smallBodies } from '../../http/server.ts'
import { prepareStop } from '../../http/shutdown.ts'
import { nothingHere } from '../../http/unknown-route.ts'
import type { WebSettings } from './configuration.ts'
import { contentPolicy } from './content-policy.ts'
import { encodings, readFiles, type ServedFile, type ServedFiles } from './files.ts'

export interface WebHost {
  readonly app: FastifyInstance
  /** Goes on serving, but says that it is about to stop. */
  leave(): void
  stop(): Promise<void>
}

/** Browsers come through one proxy. */
const proxiesByDefault = 1
export const builtClient = join(import.meta.dirname, '..', '..', '..', 'web', 'dist')

/** Serves the built web client: its files, its page for every address of a screen, and its configuration. */
export async function startWeb(settings: WebSettings, log: Log, folder = builtClient): Promise<WebHost> {
  const files = await readFiles(folder)
  const budgets = openBudgets()
  const app = createServer({
    log,
    trustedHops: settings.trustedProxies(proxiesByDefault),
    budgets,
    ...smallBodies(budgetLimits.webBodyBytes.max),
  })
  const { readiness, leave, stop } = prepareStop(app)
  addPageHeaders(app, settings)
  addHealthRoutes(app, [readiness])
  await measureHost(app, { budgets }, settings)
  app.get('/config.json', (_request, reply) =>
    reply.header('cache-control', 'no-store').send(settings.client),
  )
  app.get('/*', (request, reply) => sendFile(request, reply, files))
  await listen(app, settings)
  return { app, leave, stop }
}

function addPageHeaders(app: FastifyInstance, { client }: WebSettings): void {
  const headers = {
    'content-security-policy': contentPolicy(client),
    // The sign-in post has to name its origin; without a referrer browsers send `null` instead.
    'referrer-policy': 'strict-origin',
  }
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(headers)
    done()
  })
}

function sendFile(request: FastifyRequest, reply: FastifyReply, files: ServedFiles): FastifyReply {
  const path = pathOf(request.url)
  const file = files.get(path) ?? (isScreen(path) ? files.get('/') : undefined)
  if (file === undefined) return sendEnvelope(reply, nothingHere)
  const { body, encoding } = choose(file, request.headers['accept-encoding'])
  if (encoding !== undefined) reply.header('content-encoding', encoding)
  return reply
    .header('vary', 'Accept-Encoding')
    .header('cache-control', file.immutable ? 'public, max-age=31536000, immutable' : 'no-cache')
    .type(file.type)
    .send(body)
}

/**
 * Whether a path is answered with the page. One that ends like a file name is not, so that an outdated page gets 404 for a
 * script that is gone; nor is `/metrics`, because a collector would take the page for measurements where none are served.
 */
const isScreen = (path: string): boolean =>
  path !== '/metrics' && !path.startsWith('/assets/') && !/\.\w+$/.test(path)

function choose(file: ServedFile, accepted: string | undefined) {
  for (const { name } of encodings) {
    const body = file.encoded.get(name)
    if (body !== undefined && acceptsCoding(accepted, name)) return { body, encoding: name }
  }
  return { body: file.plain, encoding: undefined }
}
