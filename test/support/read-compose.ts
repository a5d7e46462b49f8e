import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

export interface Service {
  readonly image?: string
  readonly build?: string
  readonly command?: readonly string[]
  readonly entrypoint?: readonly string[]
  readonly user?: string
  readonly stop_grace_period?: string
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
  readonly security_opt?: readonly string[]
  readonly networks?: readonly string[]
  readonly environment: Readonly<Record<string, string | number>>
  readonly ports?: readonly string[]
  readonly volumes: readonly string[]
  readonly healthcheck?: { readonly test: readonly string[] }
  readonly depends_on?: Readonly<Record<string, unknown>>
}

const root = join(import.meta.dirname, '..', '..')
// The YAML parser of a dependency, because only tests need one.
export const { parse } = createRequire(createRequire(import.meta.url).resolve('@fastify/swagger-ui'))('yaml')

/** Reads the services of `compose.yaml`, and replaces variables as Compose does. */
export function readCompose(environment: Readonly<Record<string, string>>): Record<string, Service> {
  const text = readFileSync(join(root, 'compose.yaml'), 'utf8')
  const withoutComments = text.replace(/^\s*#.*$/gm, '')
  const { services } = parse(replaceVariables(withoutComments, environment), { merge: true })
  const filled = Object.entries<Partial<Service>>(services).map(([name, service]) => [
    name,
    { environment: {}, volumes: [], ...service },
  ])
  return Object.fromEntries(filled)
}

/** `${NAME:?why}` and `${NAME:-default}`: https://docs.docker.com/reference/compose-file/interpolation/ */
const replaceVariables = (text: string, environment: Readonly<Record<string, string>>) =>
  text.replace(/\$\{(\w+)(:[?-])([^}]*)\}/g, (_, name: string, operator: string, operand: string) => {
    const value = environment[name]
    if (value) return value
    if (operator === ':?') throw new Error(`${name} ${operand}`)
    return operand
  })
