import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { documentationPolicy } from './cors.ts'

export interface ApiDocument {
  readonly title: string
  /** Makes the OpenAPI document, exactly as it is served. Called once, by the first reader: most starts need none. */
  readonly document: () => object
}

export interface Documentation extends ApiDocument {
  /** The document and the page of everything beyond the contract. */
  readonly extensions?: ApiDocument
}

/** The interactive page at `/swagger`, and the document it shows. Nothing is loaded from other hosts. */
export function addDocumentation(app: FastifyInstance, { extensions, ...contract }: Documentation): void {
  const pages = [
    { ...contract, page: '/swagger', address: '/swagger/v1/swagger.json' },
    ...(extensions
      ? [{ ...extensions, page: '/swagger/extensions', address: '/swagger/extensions.v1.json' }]
      : []),
  ]
  for (const { title, document, page, address } of pages) {
    let text: string | undefined
    app.get(address, (_request, reply) => {
      text ??= JSON.stringify(document())
      return reply.type(types.json).send(text)
    })
    for (const path of [page, `${page}/index.html`])
      app.get(path, (_request, reply) => sendPage(reply, types.html, pageOf({ title, page }, pages)))
    app.get(`${page}/start.js`, (_request, reply) => sendPage(reply, types.js, startScript(address)))
  }
  for (const [name, type] of assets) {
    app.get(`/swagger/${name}`, async (_request, reply) =>
      sendPage(
        reply.header('cache-control', 'public, max-age=3600'),
        type,
        await readFile(join(assetFolder(), name)),
      ),
    )
  }
}

const types = {
  json: 'application/json; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  png: 'image/png',
}

const assets = [
  ['swagger-ui.css', types.css],
  ['swagger-ui-bundle.js', types.js],
  ['favicon-32x32.png', types.png],
] as const

/** Only the static files of the plugin: the package they come from reports each installation to its authors. */
const assetFolder = () =>
  join(dirname(createRequire(import.meta.url).resolve('@fastify/swagger-ui/package.json')), 'static')

const sendPage = (reply: FastifyReply, type: string, body: string | Buffer) =>
  reply.header('content-security-policy', documentationPolicy()).type(type).send(body)

interface Page {
  readonly title: string
  readonly page: string
}

const pageOf = ({ title, page }: Page, pages: readonly Page[]) => `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>${title}</title>
  <link rel="icon" href="/swagger/favicon-32x32.png">
  <link rel="stylesheet" href="/swagger/swagger-ui.css">
</head>
<body>
${pages.length > 1 ? navigationOf(page, pages) : ''}  <div id="document"></div>
  <script src="/swagger/swagger-ui-bundle.js"></script>
  <script src="${page}/start.js"></script>
</body>
</html>
`

/** The contract comes first on every page. */
const navigationOf = (currentPage: string, pages: readonly Page[]): string => {
  const items = pages.map(({ title, page }) =>
    page === currentPage ? `<strong>${title}</strong>` : `<a href="${page}">${title}</a>`,
  )
  return `  <nav>${items.join(' · ')}</nav>\n`
}

const startScript = (address: string) => `SwaggerUIBundle({
  url: '${address}',
  dom_id: '#document',
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  docExpansion: 'none',
})
`
