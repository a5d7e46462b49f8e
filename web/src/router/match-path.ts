export type PathParameters = Readonly<Record<string, string>>

/** The parameters of a path such as `/projects/:id`, or undefined where it does not fit; `:id?` may be missing. */
export function matchPath(pattern: string, path: string): PathParameters | undefined {
  const wanted = partsOf(pattern)
  const given = partsOf(path)
  if (given.length > wanted.length) return undefined
  const parameters: Record<string, string> = {}
  for (const [index, part] of wanted.entries()) {
    const value = given[index]
    if (!part.startsWith(':')) {
      if (part !== value) return undefined
      continue
    }
    const name = part.replace(/^:|\?$/g, '')
    if (value !== undefined) parameters[name] = decode(value)
    else if (!part.endsWith('?')) return undefined
  }
  return parameters
}

const partsOf = (path: string): string[] => path.split('/').filter((part) => part !== '')

/** A broken escape is no reason to break the page. */
function decode(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}
