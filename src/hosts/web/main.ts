import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { budgetLimits, openBudgets } from '../../config/budgets.ts'
import { acceptsCoding } from '../../http/compress.ts'
import { sendEnvelope } from '../../http/errors.ts'
import { addHealthRoutes } from '../../http/health.ts'
import { measureHost } from '../../http/host-metrics.ts'
import { listen, prepareStop } from '../../http/listen.ts'
import type { Log } from '../../http/log.ts'
import { createServer, notFoundEnvelope, smallBodies } from '../../http/server.ts'
import { pathOf } from '../../http/url.ts'
import type { ClientConfiguration, WebSettings } from './configuration.ts'

export interface WebHost {
  readonly app: FastifyInstance
  /** Keeps serving, but reports that it is about to stop. */
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
    // Browsers would send an origin of `null` with the sign-in post if referrers were disabled entirely.
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
  if (file === undefined) return sendEnvelope(reply, notFoundEnvelope)
  const { body, encoding } = choose(file, request.headers['accept-encoding'])
  if (encoding !== undefined) reply.header('content-encoding', encoding)
  return reply
    .header('vary', 'Accept-Encoding')
    .header('cache-control', file.immutable ? 'public, max-age=31536000, immutable' : 'no-cache')
    .type(file.type)
    .send(body)
}

/**
 * Decides whether a path gets the page. A path that ends like a file name does not, so that an outdated page gets 404 for a
 * removed script; nor does `/metrics`, because a collector would take the page for metrics where none are served.
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

/** The policy of the client's page: it may load and call its own files, the API and the provider, and nothing else. */
function contentPolicy({ apiUrl, issuer }: ClientConfiguration): string {
  const api = new URL(apiUrl).origin
  const provider = new URL(issuer).origin
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    `connect-src 'self' ${api} ${provider}`,
    // Browsers apply this to the redirects after the sign-in post too.
    `form-action 'self' ${provider}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

interface ServedFile {
  readonly type: string
  /** Set for files that are named after their content, so that they never change. */
  readonly immutable: boolean
  readonly plain: Buffer
  /** The variants compressed at build time, by encoding; empty for files that do not shrink. */
  readonly encoded: ReadonlyMap<Encoding, Buffer>
}

export type Encoding = (typeof encodings)[number]['name']

/** Files by path, `/` being the page. */
type ServedFiles = ReadonlyMap<string, ServedFile>

/** Reads the whole client into memory: some hundred kilobytes, which then cost no system call. */
async function readFiles(folder: string): Promise<ServedFiles> {
  if (!existsSync(join(folder, 'index.html')))
    throw new Error('The web client is not built. Run npm run build, or start the other hosts by name.')
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const sources = paths.filter((path) => !encodings.some(({ suffix }) => path.endsWith(suffix)))
  const files = await Promise.all(
    sources.map(async (path) => [addressOf(folder, path), await readOne(path, paths)] as const),
  )
  return new Map(files)
}

/** Listed in order of preference. */
const encodings = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
] as const

async function readOne(path: string, paths: readonly string[]): Promise<ServedFile> {
  const there = encodings.filter(({ suffix }) => paths.includes(path + suffix))
  const encoded = await Promise.all(
    there.map(async ({ name, suffix }) => [name, await readFile(path + suffix)] as const),
  )
  return {
    type: types[extname(path)] ?? 'application/octet-stream',
    immutable: path.includes(`${sep}assets${sep}`),
    plain: await readFile(path),
    encoded: new Map(encoded),
  }
}

function addressOf(folder: string, path: string): string {
  const address = `/${relative(folder, path).split(sep).join('/')}`
  return address === '/index.html' ? '/' : address
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
}
