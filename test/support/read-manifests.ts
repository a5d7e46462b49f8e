import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string }
}

export interface Container {
  readonly env?: readonly {
    readonly name: string
    readonly value?: string
    readonly valueFrom?: {
      readonly secretKeyRef?: { readonly name: string; readonly key: string; readonly optional?: boolean }
    }
  }[]
  readonly envFrom?: readonly { readonly configMapRef?: { readonly name: string } }[]
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[]
  readonly startupProbe: Probe
  readonly readinessProbe: Probe
  readonly livenessProbe: Probe
}

export interface Manifest {
  readonly kind: string
  readonly metadata: { readonly name: string }
  // biome-ignore lint/suspicious/noExplicitAny: each kind has fields of its own
  readonly spec: any
}

export const folder = join(import.meta.dirname, '..', '..', 'deploy', 'kubernetes')
// The YAML parser of a dependency, as in `read-compose.ts`.
const { parse, parseAllDocuments } = createRequire(
  createRequire(import.meta.url).resolve('@fastify/swagger-ui'),
)('yaml')
const textOf = (file: string) => readFileSync(join(folder, file), 'utf8')

const kustomization: {
  readonly resources: readonly string[]
  readonly configMapGenerator: readonly { readonly name: string; readonly literals: readonly string[] }[]
} = parse(textOf('kustomization.yaml'))

export const readManifests = (file: string): Manifest[] =>
  parseAllDocuments(textOf(file)).map((document: { toJS(): Manifest }) => document.toJS())

/**
 * The objects in the files of the kustomization, as written: without generated ConfigMaps, and before names and
 * images are replaced.
 */
export const manifests: readonly Manifest[] = kustomization.resources.flatMap(readManifests)

/** The only container of each host. */
export const deployments: Readonly<Record<string, Container>> = Object.fromEntries(
  manifests
    .filter(({ kind }) => kind === 'Deployment')
    .map(({ metadata, spec }) => [metadata.name, spec.template.spec.containers[0]]),
)

export function variablesOf({ env = [], envFrom = [] }: Container): ReadonlySet<string> {
  const literals = envFrom.flatMap(({ configMapRef }) =>
    kustomization.configMapGenerator
      .filter(({ name }) => name === configMapRef?.name)
      .flatMap((map) => map.literals),
  )
  return new Set([...env.map(({ name }) => name), ...literals.map((literal) => literal.split('=')[0] ?? '')])
}

/** The settings of all hosts, as name=value. */
export const literals: readonly string[] = kustomization.configMapGenerator.flatMap((map) => map.literals)
