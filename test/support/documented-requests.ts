import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { linkPrefix, newTokenText } from '../../src/accounts/read-fields.ts'
import { password } from './cheap-passwords.ts'

interface DocumentedRequest {
  readonly method: string
  readonly path: string
  readonly body?: unknown
}

interface Parameter {
  readonly in: string
  readonly name: string
  readonly required?: boolean
  readonly schema: { readonly format?: string; readonly enum?: readonly string[] }
}

interface Operation {
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly example?: unknown }>> }
}

const contract = join(import.meta.dirname, '..', '..', 'docs', 'contract')

/** One request for each operation of a document, with its example and what it requires. */
function documentedRequests(document: string): DocumentedRequest[] {
  const { paths } = JSON.parse(readFileSync(join(contract, document), 'utf8')) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  }
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [], requestBody }]) => {
      const query = new URLSearchParams(
        parameters.flatMap((one) => (one.in === 'query' && one.required ? [[one.name, exampleOf(one)]] : [])),
      )
      const body = requestBody?.content['application/json']?.example
      return {
        method: method.toUpperCase(),
        path: query.size === 0 ? path : `${path}?${query}`,
        ...(body !== undefined && { body }),
      }
    }),
  )
}

const exampleOf = ({ name, schema }: Parameter): string =>
  schema.format === 'uuid' || name === 'ids' ? someId : (schema.enum?.[0] ?? '2026-01-05T00:00:00Z')

const someId = '0199a3c4-7d1e-7c52-9d0b-6f3a1c2e4b58'
const secret = newTokenText(linkPrefix)

/** Where the example of the document does not come as far as the store. */
const better: Readonly<Record<string, Partial<DocumentedRequest>>> = {
  '/ext/reports/hours': { path: '/ext/reports/hours?groupBy=person' },
  '/ext/reports/assignments': { path: '/ext/reports/assignments?groupBy=project' },
  '/ext/history': { path: `/ext/history?projectId=${someId}` },
  '/ext/invitations/read': { body: { secret } },
  '/ext/invitations/accept': { body: { secret, name: 'Ada', login: 'ada', password } },
  '/ext/password-links/use': { body: { secret, newPassword: password } },
}

/** One good request for each route of the REST host. */
export const restRequests = (): DocumentedRequest[] =>
  ['rest.v1.json', 'extensions.v1.json'].flatMap(documentedRequests).flatMap((request) => {
    const path = request.path.split('?')[0] as string
    // All exports are one route for each list, and an account may have a few waiting.
    const isRepeated = path.startsWith('/ext/export/') && !/projects$/.test(path)
    return isRepeated ? [] : [{ ...request, ...better[path] }]
  })
