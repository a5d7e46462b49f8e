import { invalid } from '../../model/problem.ts'
import type { Resource } from '../../resources/define-resource.ts'
import { type Content, isContent } from './message.ts'

/**
 * Fields of a later release have numbers from here on, and an update that leaves them out leaves them alone: it may come
 * from a client that does not know them. The earlier ones are known to every client.
 */
export const neverClearedFrom = 16

/**
 * What an update asks for, as a body has it. A message cannot distinguish null from absent, so without a mask an optional field
 * that is left out is cleared; with a mask, one that is named is written or cleared, and one that is not stays as it is.
 */
export function readUpdate(resource: Resource, { updateMask, ...request }: Content): Content {
  const optional = Object.entries(resource.fields).filter(([, { presence }]) => presence === 'optional')
  if (updateMask === undefined || updateMask === null) {
    const known = optional.filter(([, { number }]) => number < neverClearedFrom)
    return { ...Object.fromEntries(known.map(([name]) => [name, null])), ...request }
  }
  const named = readPaths(resource, updateMask)
  const body: Record<string, unknown> = { ...request }
  for (const [name] of optional) {
    if (!named.has(name)) delete body[name]
    else body[name] ??= null
  }
  return body
}

function readPaths({ fields, title }: Resource, mask: unknown): ReadonlySet<string> {
  const paths: unknown = isContent(mask) ? (mask.paths ?? []) : undefined
  const names = Array.isArray(paths) ? paths.map(camelCase) : [undefined]
  if (names.some((name) => name === undefined || !Object.hasOwn(fields, name))) {
    throw invalid({ updateMask: [`UpdateMask must name fields of ${title}.`] })
  }
  return new Set(names as string[])
}

/** Paths are written as in the .proto file, or as JSON and the .NET clients write names. */
const camelCase = (path: unknown): string | undefined =>
  typeof path === 'string'
    ? path
        .replace(/_([a-z])/g, (_, letter) => letter.toUpperCase())
        .replace(/^[A-Z]/, (letter) => letter.toLowerCase())
    : undefined
