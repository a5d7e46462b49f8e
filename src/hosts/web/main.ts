import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { budgetLimits, openBudgets } from '../../config/budgets.ts'
import { sendEnvelope } from '../../http/errors.ts'
import { measureHost } from '../../http/host-metrics.ts'
import { addHealthRoutes, listen, prepareShutdown } from '../../http/listen.ts'
import type { Log } from '../../http/log.ts'
import { acceptsCoding } from '../../http/representations.ts'
import { createServer, notFoundEnvelope, smallBodyLimits } from '../../http/server.ts'
import { pathOf } from '../../http/url.ts'
import type { ClientConfiguration, WebSettings } from './configuration.ts'

export interface WebHost {
  readonly app: FastifyInstance
  /** Keeps serving, but health checks report that the host will stop. */
  announceStop(): void
  stop(): Promise<void>
}

/** A reverse proxy is expected in front of this host. */
const trustedProxiesDefault = 1
const clientDirectory = join(import.meta.dirname, '..', '..', '..', 'web', 'dist')

/** Serves the files of the web client, its page for every screen, and its configuration. */
export async function startWeb(
  settings: WebSettings,
  log: Log,
  directory = clientDirectory,
): Promise<WebHost> {
  const files = await readFiles(directory)
  const budgets = openBudgets()
  const app = createServer({
    log,
    trustedHops: settings.trustedProxies(trustedProxiesDefault),
    budgets,
    ...smallBodyLimits(budgetLimits.webBodyBytes.max),
  })
  const { readiness, announceStop, stop } = prepareShutdown(app)
  addPageHeaders(app, contentPolicy(settings.client, files))
  addHealthRoutes(app, [readiness])
  await measureHost(app, { budgets }, settings)
  app.get('/config.json', (_request, reply) =>
    reply.header('cache-control', 'no-store').send(settings.client),
  )
  app.get('/*', (request, reply) => sendFile(request, reply, files))
  await listen(app, settings)
  return { app, announceStop, stop }
}

function addPageHeaders(app: FastifyInstance, policy: string): void {
  const headers = {
    'content-security-policy': policy,
    // Without referrers, browsers would send the origin `null` with the sign-in form.
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
  // All hosts have the error format of the API.
  if (file === undefined) return sendEnvelope(reply, notFoundEnvelope)
  const { body, encoding } = chooseVariant(file, request.headers['accept-encoding'])
  if (encoding !== undefined) reply.header('content-encoding', encoding)
  return reply
    .header('vary', 'Accept-Encoding')
    .header('cache-control', file.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache')
    .type(file.type)
    .send(body)
}

/**
 * Unknown paths get `index.html`, because its router shows the screen. Paths of files get 404, so that an
 * outdated page notices that its script was removed. `/metrics` gets 404, so that a collector does not read
 * the page as metrics.
 */
const isScreen = (path: string): boolean =>
  path !== '/metrics' && !path.startsWith(assetsPath) && !/\.\w+$/.test(path)

function chooseVariant(file: ServedFile, accepted: string | undefined) {
  for (const { name } of encodings) {
    const body = file.encoded.get(name)
    if (body !== undefined && acceptsCoding(accepted, name)) return { body, encoding: name }
  }
  return { body: file.plain, encoding: undefined }
}

/** Returns the policy of the page. It may use only its own files and scripts, the API and the provider. */
function contentPolicy({ apiUrl, issuer }: ClientConfiguration, files: ServedFiles): string {
  const api = new URL(apiUrl).origin
  const provider = new URL(issuer).origin
  return [
    "default-src 'none'",
    ["script-src 'self'", ...inlineScriptHashes(files.get('/')?.plain.toString() ?? '')].join(' '),
    "style-src 'self'",
    // Images of attachments need a token, so the page fetches them and shows them as blobs.
    "img-src 'self' blob:",
    "font-src 'self'",
    "manifest-src 'self'",
    "worker-src 'self'",
    `connect-src 'self' ${api} ${provider}`,
    // Browsers apply this to redirects after the sign-in form, which lead to the provider.
    `form-action 'self' ${provider}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** Returns the sources that permit the scripts which are part of a page. */
function inlineScriptHashes(page: string): readonly string[] {
  const scripts = page.matchAll(/<script>(.*?)<\/script>/gs)
  return [...scripts].map(([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`)
}

interface ServedFile {
  readonly type: string
  /** True for files that are named after their content. */
  readonly isImmutable: boolean
  readonly plain: Buffer
  /** The compressed variants by encoding. */
  readonly encoded: ReadonlyMap<Encoding, Buffer>
}

export type Encoding = (typeof encodings)[number]['name']

/** The files by URL path. `index.html` has the path `/`. */
type ServedFiles = ReadonlyMap<string, ServedFile>

/** Reads all files into memory, which takes one to two megabytes. */
async function readFiles(directory: string): Promise<ServedFiles> {
  if (!existsSync(join(directory, 'index.html')))
    throw new Error('The web client is not built. Run npm run build, or start the other hosts by name.')
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const sources = paths.filter((path) => !encodings.some(({ suffix }) => path.endsWith(suffix)))
  const files = await Promise.all(
    sources.map(async (path) => {
      const urlPath = servedPath(directory, path)
      return [urlPath, await readServedFile(path, urlPath, paths)] as const
    }),
  )
  return new Map(files)
}

/** Files in this directory are named after their content. */
const assetsPath = '/assets/'

/** The encodings, in order of preference. */
const encodings = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
] as const

async function readServedFile(path: string, urlPath: string, paths: readonly string[]): Promise<ServedFile> {
  const available = encodings.filter(({ suffix }) => paths.includes(path + suffix))
  const encoded = await Promise.all(
    available.map(async ({ name, suffix }) => [name, await readFile(path + suffix)] as const),
  )
  return {
    type: mediaTypes[extname(path)] ?? 'application/octet-stream',
    isImmutable: urlPath.startsWith(assetsPath),
    plain: await readFile(path),
    encoded: new Map(encoded),
  }
}

function servedPath(directory: string, path: string): string {
  const urlPath = `/${relative(directory, path).split(sep).join('/')}`
  return urlPath === '/index.html' ? '/' : urlPath
}

const mediaTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webmanifest': 'application/manifest+json',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
}
